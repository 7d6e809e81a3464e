import { always, defineFault } from '../fault.js';

export const slow = defineFault({
  name: 'slow',
  summary: 'every answer comes late, and as of when it was asked',
  cause: 'a host under load: the thread that emulates devices, and MMDS with them, seldom runs',
  parameters: {
    delayMs: {
      summary: 'how late every answer is',
      unit: 'duration',
      default: 2000,
      min: 1,
      max: 3_600_000,
    },
  },
  phases: ({ delayMs }) => always({ delayMs }),
});
