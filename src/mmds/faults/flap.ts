import { defineFault, HEALTHY, type Parameter } from '../fault.js';

const time = (summary: string, defaultMs: number): Parameter => ({
  summary,
  unit: 'duration',
  default: defaultMs,
  min: 10,
  max: 3_600_000,
});

export const flap = defineFault({
  name: 'flap',
  summary: 'MMDS comes and goes: refused, then in order, and again',
  cause: 'a process or rule before MMDS that is restarted over and over',
  parameters: {
    downMs: time('how long it is refused each time', 5000),
    upMs: time('how long it answers each time', 1000),
  },
  phases: ({ downMs, upMs }) => [
    { conduct: { ...HEALTHY, reach: 'closed' }, forMs: downMs },
    { conduct: HEALTHY, forMs: upMs },
  ],
});
