import { z } from 'zod';

const faultSchema = z.object({
  name: z.string().max(64),
  parameters: z.record(z.string().max(64), z.number()),
});

/** See MmdsConfig. */
const configSchema = z.object({
  address: z.ipv4(),
  port: z.number().int().min(0).max(65_535),
  network: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('netns'), device: z.string().regex(/^[\w.-]{1,15}$/) }),
    z.object({ kind: z.literal('loopback') }),
  ]),
  metadata: z.unknown(),
  version: z.enum(['V2', 'V1']),
  close: z.enum(['auto', 'agent', 'mmds']),
  fault: faultSchema,
});

/** What the parent sends to the process of a metadata service. */
export const requestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), config: configSchema }),
  z.object({ type: z.literal('fault'), fault: faultSchema }),
  z.object({ type: z.literal('metadata'), metadata: z.unknown() }),
  z.object({ type: z.literal('counters') }),
  z.object({ type: z.literal('watch'), on: z.boolean() }),
  z.object({ type: z.literal('tellLoop') }),
]);

const count = z.number().int().nonnegative();

/**
 * What it answers: one message each, in order; `trouble` instead, or at any time. While it is watched,
 * `events` come at any time too, those before an answer ahead of it. The first `loop` answers
 * `tellLoop`; from then on one comes every 100 ms.
 */
export const replySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), address: z.string(), port: count }),
  z.object({ type: z.literal('faultApplied'), fault: faultSchema }),
  z.object({ type: z.literal('metadataApplied') }),
  z.object({
    type: z.literal('counters'),
    accepted: count,
    requests: count,
    answered: count,
    resets: count,
    evicted: count,
    waited: count,
  }),
  z.object({ type: z.literal('watchApplied'), on: z.boolean() }),
  z.object({
    type: z.literal('events'),
    events: z.array(
      z.object({
        atMs: z.number(),
        kind: z.enum(['opened', 'asked', 'answered', 'closed']),
        open: count,
        request: z.string(),
        status: count,
        body: z.string(),
      }),
    ),
  }),
  z.object({
    type: z.literal('loop'),
    loop: z.object({ atMs: z.number(), activeMs: z.number().nonnegative() }),
  }),
  z.object({ type: z.literal('trouble'), message: z.string() }),
]);

export type MmdsRequest = z.infer<typeof requestSchema>;
export type MmdsReply = z.infer<typeof replySchema>;
