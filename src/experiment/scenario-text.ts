import { z } from 'zod';

/** A scenario as it was typed, on the command line or in a file. */
export const scenarioTextSchema = z.object({
  interval: z.array(z.string()),
  outage: z.string(),
  fault: z.string(),
  retry: z.string(),
  initTimeout: z.string().optional(),
  retryPause: z.string(),
  retryBudget: z.string(),
  poller: z.string(),
  auth: z.string(),
  bootPoller: z.boolean(),
  agent: z.array(z.string()),
  mmdsClose: z.string(),
  mmdsVersion: z.string(),
  guestMemory: z.string(),
  guestCpus: z.string(),
  portRange: z.string().optional(),
  headroom: z.boolean(),
  sequential: z.boolean(),
  repeat: z.string(),
  pollFunction: z.string(),
  stackDump: z.string(),
});

export type ScenarioText = z.infer<typeof scenarioTextSchema>;
