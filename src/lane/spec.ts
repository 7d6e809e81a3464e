import { z } from 'zod';

/** A fault from an instant on, and what pollers do under it. */
const faultStep = z.object({
  atMs: z.number().nonnegative(),
  /** Attempts/s of one poller that nothing holds up; null where it waits or is answered. */
  demandPerPoller: z.number().positive().nullable(),
  fault: z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()) }),
  /** By what an external agent's pollers are told. */
  sign: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('outstanding') }),
    z.object({ kind: z.literal('rate'), perPoller: z.number().nonnegative() }),
    z.object({ kind: z.literal('none') }),
  ]),
});

const agentSpec = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reference'), name: z.string(), guard: z.string() }),
  z.object({
    kind: z.literal('external'),
    name: z.string(),
    /** The program as an absolute path, and its arguments. */
    command: z.array(z.string()).min(1),
    /** The Go function that polls; null leaves the process alive at the end, and without a dump. */
    pollFunction: z.string().nullable(),
  }),
]);

/** Everything that one lane needs to know. It crosses into the lane's own process. */
export const laneSpecSchema = z.object({
  agent: agentSpec,
  isolation: z.enum(['netns', 'loopback']),
  intervalMs: z.number().positive(),
  outageMs: z.number().positive(),
  faults: z.array(faultStep).min(1),
  retry: z.string(),
  initTimeoutMs: z.number().positive(),
  retryPauseMs: z.number().nonnegative(),
  retryBudgetMs: z.number().positive(),
  poller: z.string(),
  auth: z.enum(['stored', 'mmds']),
  bootPoller: z.boolean(),
  mmdsClose: z.enum(['auto', 'agent', 'mmds']),
  mmdsVersion: z.enum(['V1', 'V2']),
  guest: z.object({
    /** TIME_WAIT sockets the guest's kernel allows; null leaves this machine's own limit. */
    timeWaitLimit: z.number().int().positive().nullable(),
    cpus: z.number().int().positive().nullable(),
    portRange: z.tuple([z.number().int(), z.number().int()]).nullable(),
  }),
  /** Whether `/health` is loaded before the storm and at its peak, to see what is left of it. */
  headroom: z.boolean(),
});

export type LaneSpec = z.infer<typeof laneSpecSchema>;
