import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, UsageError } from '../../base/errors.js';
import { prepareOut } from '../../results/store.js';
import { type Check, missing, ok } from './check.js';

export const out: Check = {
  name: '--out',
  look: async (asked) => {
    const isThere = existsSync(resolve(asked.out));
    try {
      const path = await prepareOut(asked.out);
      // Who only asks leaves nothing behind.
      if (!isThere) await rmdir(path);
      return ok(`${path} can be written to`);
    } catch (thrown) {
      if (thrown instanceof UsageError) return missing(thrown.what, thrown.mend ?? '');
      return missing(
        messageOf(thrown),
        'Give a folder that can be written to: --out bench-results',
      );
    }
  },
};
