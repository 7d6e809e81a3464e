import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { newCounters } from '../../../src/agents/counters.js';
import { AgentPart } from '../../../src/lane/parts/agent-part.js';
import { assertPlain, inPieces, mutated, mutatedBytes } from '../hostile.js';
import { defineTarget } from '../target.js';

const loops = [{ atMs: 1_000.5, activeMs: 12.25 }];
const line = { counters: newCounters(), final: false, loops };

/** What an agent prints: counter lines, and words. */
export const counterLines = defineTarget({
  name: 'counter-lines',
  input: fc.tuple(
    fc.oneof(
      mutated(line).map((one) => Buffer.from(`${JSON.stringify(one)}\n`)),
      mutatedBytes([`${JSON.stringify(line)}\n`]),
    ),
    fc.array(fc.nat(), { maxLength: 3 }),
  ),
  async check([bytes, cuts]) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const process = { stdout, stderr, exited: new Promise(() => {}) };
    const part = new AgentPart(
      { kind: 'reference', name: 'a', guard: 'unguarded' },
      process as unknown as ConstructorParameters<typeof AgentPart>[1],
      () => {},
    );
    for (const piece of inPieces(bytes, cuts)) {
      stdout.write(piece);
      stderr.write(piece);
    }
    stdout.end();
    stderr.end();
    await turn();
    await turn();
    assertPlain(part.lastWords());
    for (const figure of Object.values(part.counters ?? {})) {
      assert.ok(Number.isSafeInteger(figure) && figure >= 0, `a count of ${figure}`);
    }
  },
});
