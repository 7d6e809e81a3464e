import { monotonicMs } from '../../base/clock.js';
import { readProc } from '../../observe/proc/counters.js';
import { type Check, limited, ok } from './check.js';

const SOURCE = '/sys/devices/system/clocksource/clocksource0/current_clocksource';

/** Readings that are timed. */
const READINGS = 1_000;

/** A reading of a good clock takes 0.1 µs, one that asks the kernel or a device 1 µs or more. */
const SLOW_US = 5;

export const clock: Check = {
  name: 'clock',
  look: () => {
    const began = monotonicMs();
    let steps = 0;
    let last = began;
    for (let i = 0; i < READINGS; i++) {
      const now = monotonicMs();
      if (now < last) steps++;
      last = now;
    }
    return clockFinding(readProc(SOURCE)?.trim() ?? 'unknown source', {
      costUs: ((last - began) * 1e3) / READINGS,
      stepsBack: steps,
    });
  },
};

/** @param source the kernel's clock source; @param seen what readings of it showed */
export function clockFinding(source: string, seen: { costUs: number; stepsBack: number }) {
  const text = `monotonic (${source}), ${seen.costUs.toFixed(1)} us a reading; the wall clock may jump`;
  if (seen.stepsBack > 0) {
    return limited(
      `${text}; it stepped back ${seen.stepsBack} times`,
      'Choose another clock source',
    );
  }
  return seen.costUs <= SLOW_US
    ? ok(text)
    : limited(`${text}: slow`, 'Choose tsc or kvm-clock as clock source, if the machine has them');
}
