import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { resultSchema } from '../../src/results/schema.js';
import { ordinaryUser, run, until } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();
const noNamespaces = await whyNoNamespaces();
const noPerl = spawnSync('perl', ['-e', '1']).status === 0 ? undefined : 'no perl';
const skip = noNamespaces ?? noPerl ?? false;

const folder = mkdtempSync(join(tmpdir(), 'escape-'));
after(() => rmSync(folder, { recursive: true, force: true }));
chmodSync(folder, 0o755);
const agent = join(folder, 'escape.pl');
copyFileSync(resolve('test/stand-in/escape.pl'), agent);
chmodSync(agent, 0o755);

const users: [string, readonly string[] | undefined][] = [['the user of the tests', undefined]];
const other = ordinaryUser();
if (other) users.push(['an ordinary user', other]);

const ABSTRACT_TRAP = `
socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die $!;
bind($s, pack("S", AF_UNIX) . "\\0$ARGV[0]") && listen($s, 9)
  or die $!;
syswrite STDOUT, "up";
sleep 100;
`;

for (const [name, prefix] of users) {
  test(`a program under test does not get out of its lane, as ${name}`, {
    skip,
    timeout: 120_000,
  }, async () => {
    const mark = `envd-bench-escape-${process.pid}-${users.length}`;
    const as = (command: readonly string[]) => [...(prefix ?? []), ...command] as const;
    const file = join(folder, 'secret');
    writeFileSync(file, 'untouched');
    chmodSync(file, 0o666);
    const shared = join('/dev/shm', mark);
    writeFileSync(shared, '');
    const [sleeper = '', ...sleeping] = as(['sleep', '100']);
    const witness = spawn(sleeper, sleeping);
    const [maker = '', ...making] = as([
      'perl',
      '-e',
      'my $key = 0x10000 + $$; print "$key ", shmget($key, 1, 0666 | 01000) // die',
    ]);
    const [key = '', segment = ''] = execFileSync(maker, making, { encoding: 'utf8' }).split(' ');
    const tcp = createServer((socket) => socket.destroy()).listen(0, '0.0.0.0');
    // Node 20 cannot listen on an abstract name.
    const unix = spawn('perl', ['-MSocket', '-e', ABSTRACT_TRAP, mark]);
    let isUp = false;
    unix.stdout.once('data', () => {
      isUp = true;
    });
    await until('the traps listen', () => tcp.listening && isUp);
    const address = tcp.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const addresses = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map((one) => one.address);
    const ways = [file, witness.pid, port, mark, key, addresses.join(',')].map(String);
    try {
      // Outside of a lane these ways are open, so that to hold them means something.
      const [program = '', ...args] = as([agent, ...ways, 'harmless']);
      const outside = await run([program, ...args]);
      assert.equal(
        outside.stderr,
        'ESCAPED file, shared memory file, signal, /proc of a process, network 127.0.0.1, ' +
          'abstract socket, System V memory',
      );
      const { code, stdout, stderr } = await run(
        [
          ...(prefix ?? []),
          ...[bin, 'run', '--outage', '1s', '--json', '--out', out],
          ...['--agent', 'unguarded', '--agent', `mine=${[agent, ...ways].join(' ')} ""`],
        ],
        { cwd: out, env: { ...process.env, HOME: out } },
      );
      assert.equal(code, 1, stderr);
      const { lanes } = resultSchema.parse(JSON.parse(stdout));
      assert.match(lanes[1]?.trouble ?? '', /held \d+ ways/);
      assert.equal(readFileSync(file, 'utf8'), 'untouched');
    } finally {
      witness.kill();
      tcp.close();
      unix.kill();
      unlinkSync(shared);
      execFileSync('ipcrm', ['-m', segment]);
    }
  });
}
