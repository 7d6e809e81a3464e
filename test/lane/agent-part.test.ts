import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AgentPart } from '../../src/lane/parts/agent-part.js';

for (const kind of ['reference', 'external'] as const) {
  test(`whatever an agent prints, of its words only the last are kept: ${kind}`, async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const process = { stdout, stderr, exited: new Promise(() => {}) };
    const spec =
      kind === 'reference'
        ? { kind, name: 'a', guard: 'unguarded' }
        : { kind, name: 'a', command: ['a'], pollFunction: null };
    const part = new AgentPart(
      spec,
      process as unknown as ConstructorParameters<typeof AgentPart>[1],
      () => {},
    );
    const piece = Buffer.alloc(1 << 20, 'x');
    // More than any string can hold.
    for (let i = 0; i < 600; i++) {
      for (const stream of [stdout, stderr]) if (!stream.write(piece)) await turn();
    }
    stderr.write('\nmy last words\n');
    await turn();
    assert.equal(part.lastWords(), 'my last words');
  });
}
