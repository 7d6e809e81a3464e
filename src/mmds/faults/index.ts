import type { Fault } from '../fault.js';
import { blackhole } from './blackhole.js';
import { emptyToken } from './empty-token.js';
import { flap } from './flap.js';
import { hang } from './hang.js';
import { hijack } from './hijack.js';
import { httpError } from './http-error.js';
import { none } from './none.js';
import { nullStore } from './null.js';
import { overload } from './overload.js';
import { refused } from './refused.js';
import { reset } from './reset.js';
import { slow } from './slow.js';

const ALL: readonly Fault[] = [
  none,
  refused,
  blackhole,
  hang,
  reset,
  slow,
  httpError,
  hijack,
  emptyToken,
  nullStore,
  overload,
  flap,
];

/** All faults by name, in the order in which help lists them. A new fault is a file and a line. */
export const faults: ReadonlyMap<string, Fault> = new Map(ALL.map((fault) => [fault.name, fault]));
