import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StackDumpReader } from '../../src/observe/stack-dump.js';

/** A goroutine as a Go program prints it. */
function goroutine(id: number, frame: string, createdBy: string): string {
  return `goroutine ${id} [select, 2 minutes]:
net/http.(*Transport).getConn(0xc000128000, 0xc0003a2000)
	/usr/local/go/src/net/http/transport.go:1466 +0x5c5
example.org/agent/internal/host.${frame}({0x1, 0xc000}, 0xc000068060)
	/src/internal/host/mmds.go:140 +0x1a5
created by ${createdBy} in goroutine ${id - 1}
	/src/internal/api/init.go:233 +0x2cc
`;
}

const FROM_INIT = 'example.org/agent/internal/api.(*API).PostInit';
const DUMP = `SIGQUIT: quit
PC=0x47a1c1 m=0 sigcode=0

goroutine 1 gp=0xc0000061c0 m=nil [IO wait]:
main.main()
	/src/main.go:10 +0x1
${goroutine(18, 'PollForMMDSOpts', FROM_INIT)}
${goroutine(19, 'PollForMMDSOpts', `${FROM_INIT}.func1`)}
${goroutine(20, 'PollForMMDSOpts', 'main.main')}
${goroutine(21, 'PollForMMDSOptsTwice', FROM_INIT)}
${goroutine(22, 'Other', FROM_INIT)}
rax    0x0
`;

function read(pieces: readonly string[]) {
  const reader = new StackDumpReader('PollForMMDSOpts');
  for (const piece of pieces) reader.push(piece);
  return reader.end();
}

test('pollers of /init and of the boot are counted apart', () => {
  assert.deepEqual(read([DUMP]), { goroutines: 6, pollers: 2, bootPollers: 1 });
});

test('no dump is no data, not 0', () => {
  assert.equal(read([]), undefined);
  assert.equal(read(['listening on 49983\nPollForMMDSOpts( failed\n']), undefined);
});

test('a dump cut anywhere into pieces is the same dump', () => {
  const whole = read([DUMP]);
  fc.assert(
    fc.property(fc.array(fc.nat(DUMP.length), { maxLength: 20 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), DUMP.length];
      assert.deepEqual(read(at.slice(1).map((end, i) => DUMP.slice(at[i], end))), whole);
    }),
  );
});

test('a dump that is cut off counts what is there', () => {
  fc.assert(
    fc.property(fc.nat(DUMP.length), (end) => {
      const dump = read([DUMP.slice(0, end)]);
      if (!dump) return;
      assert.ok(dump.pollers + dump.bootPollers <= 3 && dump.goroutines <= 6);
    }),
  );
});

test('a line without an end takes no memory to speak of', () => {
  const reader = new StackDumpReader('PollForMMDSOpts');
  reader.push(DUMP);
  for (let i = 0; i < 2_000; i++) reader.push('x'.repeat(65_536));
  reader.push(`\n${DUMP}`);
  assert.equal(reader.end()?.pollers, 4);
});
