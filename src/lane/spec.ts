import { z } from 'zod';

/** A fault from an instant on. */
const faultStep = z.object({
  atMs: z.number().nonnegative(),
  fault: z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()) }),
});

/** Everything that one lane needs to know. It crosses into the lane's own process. */
export const laneSpecSchema = z.object({
  agent: z.object({ name: z.string(), guard: z.string() }),
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
  /** Attempts/s that one poller makes when nothing holds it up. */
  demandPerPoller: z.number().nonnegative(),
});

export type LaneSpec = z.infer<typeof laneSpecSchema>;
