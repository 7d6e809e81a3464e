import { parseArgs } from 'node:util';
import { LONGEST_MS } from '../base/duration.js';
import { EXIT, messageOf, UsageError } from '../base/errors.js';
import { LOOP_TOLD_EVERY_MS, loopReading } from '../base/event-loop.js';
import { assertMayReach } from '../base/interlock.js';
import { lookUp } from '../base/nearest.js';
import { cleanText, quoted } from '../base/text.js';
import { guards } from './guards/index.js';
import { pollModels } from './poll-models.js';
import { PollerThreads } from './poller-threads.js';
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

const guard = lookUp('agent', values.guard, guards);
lookUp('poller', values.poller, pollModels);
const lifetimeMs = above0('lifetime-ms', LONGEST_MS);
const pollers = await PollerThreads.start(
  {
    mmds,
    model: values.poller,
    tickMs: above0('tick-ms', LONGEST_MS),
    acceptsEmptyStore: guard.acceptsEmptyStore,
    runDir: values['run-dir'],
  },
  (metadata) => agent.store(metadata),
);
const agent = new ReferenceAgent(
  {
    guard,
    mmds,
    lifetimeMs,
    accessToken: values['access-token'],
    bootPoller: values['boot-poller'],
  },
  pollers,
);

function above0(name: 'mmds-port' | 'lifetime-ms' | 'tick-ms', most: number): number {
  const value = Number(values[name]);
  if (value > 0 && value <= most) return value;
  throw new UsageError(`--${name} ${quoted(values[name])} is not a number above 0 up to ${most}`);
}

function printCounters(final: boolean): void {
  // Their time with them: whoever reads this line may be late.
  const loops = [loopReading(), ...pollers.loops];
  process.stdout.write(`${JSON.stringify({ counters: agent.counters, final, loops })}\n`);
}

const ticker = setInterval(() => printCounters(false), LOOP_TOLD_EVERY_MS);

/** Ends the polling at once; requests are answered until a second signal. */
function drain(): void {
  clearInterval(ticker);
  void agent.stopPolling().then(() => printCounters(true));
  process.once('SIGTERM', () => process.exit(0));
}

process.once('SIGTERM', drain);
process.on('SIGINT', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read it is gone; anything else, as a full disk, is a trouble.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`cannot write the counters: ${cleanText(error.message, 300)}\n`);
  process.exit(EXIT.unusable);
});
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
