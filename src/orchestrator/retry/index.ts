import { fixed } from './fixed.js';
import { orchestrator } from './orchestrator.js';
import type { RetryPolicy } from './policy.js';

/** The retry policies by name. A new one is one file and one line here. */
export const retryPolicies: ReadonlyMap<string, RetryPolicy> = new Map(
  [fixed, orchestrator].map((policy) => [policy.name, policy]),
);
