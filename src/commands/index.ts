import type { Command } from '@oclif/core';

/**
 * The commands by name. A new one is one file and one line here. Each is imported when it is asked
 * for: all of them, with all that they use, take longer to load than Node itself.
 */
const LOADERS: Readonly<Record<string, () => Promise<{ default: Command.Class }>>> = {
  agent: () => import('./agent.js'),
  comment: () => import('./comment.js'),
  compare: () => import('./compare.js'),
  doctor: () => import('./doctor.js'),
  matrix: () => import('./matrix.js'),
  mmds: () => import('./mmds.js'),
  plan: () => import('./plan.js'),
  report: () => import('./report.js'),
  run: () => import('./run.js'),
  verify: () => import('./verify.js'),
};

/** Those that are loaded: where oclif looks (package.json, oclif.commands). */
export const commands: Record<string, Command.Class> = {};

/** Loads the command of that name; all of them where there is none, for the help and its like. */
export async function loadCommands(name: string | undefined): Promise<void> {
  const isKnown = name !== undefined && Object.hasOwn(LOADERS, name);
  for (const one of isKnown ? [name] : Object.keys(LOADERS)) {
    const module = await LOADERS[one]?.();
    if (module) commands[one] = module.default;
  }
}
