import { z } from 'zod';

/** Name and version of the verify document. */
export const VERIFY_SCHEMA = 'envd-bench/verify/v1';

const text = z.string().max(4096);
const ms = z.number().nonnegative();

/** One line of a time line: something that happened, or happened again and again. */
const timelineEntrySchema = z.object({
  /** When it happened first, ms since the agent was ready. */
  atMs: ms,
  /** When it happened last; the same where it happened once. */
  untilMs: ms,
  count: z.number().int().positive(),
  /**
   * `init`: an `/init` and its answer; `poll`: a request that MMDS received; `answer`: what MMDS
   * answered; `identity`: who the agent says it is; `step`: what the scenario did.
   */
  kind: z.enum(['init', 'poll', 'answer', 'identity', 'step']),
  text,
});

const verdictSchema = z.enum(['pass', 'fail', 'skipped']);

const scenarioSchema = z.object({
  scenario: text,
  verdict: verdictSchema,
  reason: text,
  /** Of the run that decided the verdict: the first that failed, else the last. */
  timeline: z.array(timelineEntrySchema).max(1_000),
  /** How often it ran, and what came of it. */
  runs: z.object({
    pass: z.number().int().nonnegative(),
    fail: z.number().int().nonnegative(),
    skipped: z.number().int().nonnegative(),
  }),
});

export const verifySchema = z.object({
  schema: z.literal(VERIFY_SCHEMA),
  agent: text,
  kind: z.enum(['reference', 'external']),
  /** `X-Envd-Version` as the agent answered; null when it was never seen. */
  version: text.nullable(),
  /** The agent that `version` is compared with. */
  base: text.nullable(),
  isolation: z.enum(['netns', 'loopback']),
  /** The lifetime of a poller and its tick that the scenarios reckon with, ms. */
  times: z.object({ lifetimeMs: ms, tickMs: ms }),
  tool: z.object({ version: text }),
  startedAt: z.iso.datetime(),
  durationMs: ms,
  /** False when it was interrupted before every scenario had its verdict. */
  complete: z.boolean(),
  scenarios: z.array(scenarioSchema),
});

export type Verification = z.infer<typeof verifySchema>;
export type ScenarioVerdict = z.infer<typeof scenarioSchema>;
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;
export type Verdict = z.infer<typeof verdictSchema>;
