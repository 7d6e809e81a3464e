import type { Claim } from '../../results/schema.js';
import { cap } from './cap.js';
import type { ClaimRule, Unjudged } from './claim.js';
import { controlPlane } from './control-plane.js';
import { evidenceOf } from './lanes.js';
import { pollers } from './pollers.js';
import { ports } from './ports.js';
import { rate } from './rate.js';
import { ratePerPoller } from './rate-per-poller.js';
import { repoll } from './repoll.js';
import { requests } from './requests.js';
import { version } from './version.js';

/** The claims in the order in which they are told. A new one is one file and one line here. */
const rules: readonly ClaimRule[] = [
  pollers,
  ratePerPoller,
  rate,
  requests,
  ports,
  controlPlane,
  cap,
  repoll,
  version,
];

/**
 * Judges every claim by what a run measured. What was not measured decides nothing: such a claim is
 * `not-applicable`, with the reason.
 */
export function evaluateClaims(result: Unjudged): Claim[] {
  const evidence = evidenceOf(result);
  return rules.map(({ id, text, judge }) => ({ id, text, ...judge(evidence) }));
}
