import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { LONGEST_MS } from '../base/duration.js';
import { EXIT, messageOf, UsageError } from '../base/errors.js';
import { LOOP_TOLD_EVERY_MS, loopReading } from '../base/event-loop.js';
import { assertMayReach } from '../base/interlock.js';
import { lookUp } from '../base/nearest.js';
import { cleanText, quoted } from '../base/text.js';
import { guards } from './guards/index.js';
import type { Metadata } from './mmds-requests.js';
import { pollModels } from './poll-models.js';
import { ReferenceAgent } from './reference-agent.js';

// Whoever started the agent shows the last line that it leaves on stderr.
let failure: number = EXIT.unusable;
process.on('uncaughtException', (thrown) => {
  process.stderr.write(`${cleanText(messageOf(thrown), 300)}\n`);
  process.exit(failure);
});

const { values } = parseArgs({
  options: {
    guard: { type: 'string', default: 'unguarded' },
    poller: { type: 'string', default: 'envd' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '49983' },
    'mmds-host': { type: 'string', default: '169.254.169.254' },
    'mmds-port': { type: 'string', default: '80' },
    'access-token': { type: 'string' },
    'boot-poller': { type: 'boolean', default: false },
    'lifetime-ms': { type: 'string', default: '60000' },
    'tick-ms': { type: 'string', default: '50' },
    'run-dir': { type: 'string' },
    'end-with-stdin': { type: 'boolean', default: false },
  },
});

// A refused attempt is an Error object; its stack trace costs more than the attempt itself.
Error.stackTraceLimit = 0;

const mmds = { host: values['mmds-host'], port: above0('mmds-port', 65_535) };
assertMayReach(mmds.host);

const agent = new ReferenceAgent({
  guard: lookUp('agent', values.guard, guards),
  model: lookUp('poller', values.poller, pollModels),
  mmds,
  lifetimeMs: above0('lifetime-ms', LONGEST_MS),
  tickMs: above0('tick-ms', LONGEST_MS),
  accessToken: values['access-token'],
  bootPoller: values['boot-poller'],
  keep: (metadata) => keepFiles(values['run-dir'], metadata),
});

function above0(name: 'mmds-port' | 'lifetime-ms' | 'tick-ms', most: number): number {
  const value = Number(values[name]);
  if (value > 0 && value <= most) return value;
  throw new UsageError(`--${name} ${quoted(values[name])} is not a number above 0 up to ${most}`);
}

/** envd keeps the identity in files too (internal/host/mmds.go). */
function keepFiles(folder: string | undefined, metadata: Metadata): void {
  if (!folder) return;
  makeFolder(folder);
  writeFileSync(join(folder, '.E2B_SANDBOX_ID'), metadata.sandboxId);
  writeFileSync(join(folder, '.E2B_TEMPLATE_ID'), metadata.templateId);
}

/** Not with `recursive`: Node 20 then tries for ever where a parent exists and yet ENOENT is the answer. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

function printCounters(final: boolean): void {
  // Their time with them: whoever reads this line may be late.
  const loop = loopReading();
  process.stdout.write(`${JSON.stringify({ counters: agent.counters, final, loop })}\n`);
}

const ticker = setInterval(() => printCounters(false), LOOP_TOLD_EVERY_MS);

/** Ends the polling at once; requests are answered until a second signal. */
function drain(): void {
  clearInterval(ticker);
  agent.stopPolling();
  // Cancelled attempts are counted when their sockets have closed, one turn of the loop later.
  setImmediate(() => setImmediate(() => printCounters(true)));
  process.once('SIGTERM', () => process.exit(0));
}

process.once('SIGTERM', drain);
process.on('SIGINT', () => {});
process.stdout.on('error', () => process.exit(0));
if (values['end-with-stdin']) {
  // Whoever started the agent holds its standard input: when it ends, nobody is left to stop us.
  process.stdin.on('end', () => process.exit(0)).on('error', () => process.exit(0));
  process.stdin.resume();
}

agent.server.on('error', (error: NodeJS.ErrnoException) => {
  process.stderr.write(`cannot listen on ${values.host}:${values.port}: ${error.message}\n`);
  process.exit(EXIT.unusable);
});
agent.server.once('listening', () => {
  failure = EXIT.failed;
});
agent.server.listen({ host: values.host, port: Number(values.port), backlog: 4096 });
