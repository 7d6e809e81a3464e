import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.js';
import { TARGETS } from './targets/index.js';

/** `npm run fuzz -- [--inputs N] [--seed S] [TARGET...]`: exits with 1 when anything was found. */
const { values, positionals } = parseArgs({
  options: {
    inputs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
  allowPositionals: true,
});
const [inputs, seed] = [Number(values.inputs), Number(values.seed)];
const names = TARGETS.map(({ name }) => name);
const unknown = positionals.find((name) => !names.includes(name));
if (unknown !== undefined || !(inputs >= 1) || !Number.isInteger(seed)) {
  process.stderr.write(`fuzz [--inputs N] [--seed S] [TARGET...], of ${names.join(', ')}\n`);
  process.exit(2);
}
process.stdout.write(`seed ${seed}\n`);
for (const name of positionals.length > 0 ? positionals : names) {
  const { tried, failure } = await fuzz(name, inputs, seed);
  process.stdout.write(`${failure === null ? 'ok    ' : 'FAILED'} ${name}: ${tried} inputs\n`);
  if (failure !== null) {
    process.stdout.write(`${failure.slice(0, 4_000)}\n`);
    process.exitCode = 1;
  }
}
// A target may have left a server open.
process.exit();
