import type { Unjudged } from '../../src/experiment/claims/claim.js';
import { type LaneResult, RESULT_SCHEMA, resultSchema } from '../../src/results/schema.js';
import { guarded, unguarded } from './lanes.js';
import { merged, type Part } from './part.js';

/** A run of the scenario, side by side; whatever `change` names is otherwise. */
export function run(change: Part<Omit<Unjudged, 'lanes'>> = {}, ...only: LaneResult[]): Unjudged {
  const usual: Omit<Unjudged, 'lanes'> = {
    schema: RESULT_SCHEMA,
    id: 'a-run',
    startedAt: '2025-01-01T00:00:00Z',
    complete: true,
    tool: { version: '0.1.0' },
    machine: {
      kernel: '6.1',
      cpus: 2,
      memoryBytes: 2 ** 33,
      hostCpus: 2,
      hostMemoryBytes: 2 ** 33,
      node: 'v20',
    },
    scenario: {
      intervalMs: 100,
      outageMs: 60_000,
      fault: 'refused',
      retry: 'fixed',
      initTimeoutMs: 10_000,
      retryPauseMs: null,
      retryBudgetMs: null,
      poller: 'issue',
      auth: 'stored',
      bootPoller: false,
      isolation: 'netns',
      isolationReason: null,
      mmdsClose: 'auto',
      mmdsVersion: 'V2',
      guest: { memoryBytes: 2 ** 30, cpus: 2, portRange: null },
      headroom: false,
      sequential: false,
      repeat: { index: 1, of: 1 },
    },
    checks: [],
    notes: [],
  };
  const result = {
    ...merged<Omit<Unjudged, 'lanes'>>(usual, change),
    lanes: only.length > 0 ? only : [unguarded, guarded],
  };
  // A fixture that no run could have written would prove nothing.
  resultSchema.parse({ ...result, claims: [] });
  return result;
}

/** A run of 5 s: no poller lives its life. */
export const short = { scenario: { outageMs: 5000 } };
/** A run with envd's boot poller. */
export const boot = { scenario: { bootPoller: true } };
