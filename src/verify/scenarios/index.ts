import type { Scenario } from '../scenario.js';
import { atMostOne } from './at-most-one.js';
import { badRequests } from './bad-requests.js';
import { controlPlane } from './control-plane.js';
import { delivers } from './delivers.js';
import { emptyStore } from './empty-store.js';
import { lateReady } from './late-ready.js';
import { pauseResume } from './pause-resume.js';
import { pollerCrash } from './poller-crash.js';
import { repollAfterSuccess } from './repoll-after-success.js';
import { repollAfterTimeout } from './repoll-after-timeout.js';
import { staleIdentity } from './stale-identity.js';
import { version } from './version.js';

const ALL: readonly Scenario[] = [
  atMostOne,
  delivers,
  repollAfterSuccess,
  repollAfterTimeout,
  lateReady,
  staleIdentity,
  pauseResume,
  emptyStore,
  pollerCrash,
  controlPlane,
  version,
  badRequests,
];

/** All scenarios by name, in the order of the report. A new one is a file and a line here. */
export const scenarios: ReadonlyMap<string, Scenario> = new Map(
  ALL.map((scenario) => [scenario.name, scenario]),
);
