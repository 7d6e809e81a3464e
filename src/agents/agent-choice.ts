import { UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { quoted } from '../base/text.js';
import { parseAgentCommand } from './external.js';
import { guards } from './guards/index.js';

/** An agent as it was chosen: a built-in one, or a program. */
export type AgentChoice =
  | { kind: 'reference'; name: string; guard: string }
  | {
      kind: 'external';
      name: string;
      /** The program as an absolute path, and its arguments. */
      command: string[];
      /** The Go function that polls; null for no stack dump. */
      pollFunction: string | null;
    };

const MEND = 'Give it as NAME=COMMAND, NAME of letters, digits, - . _';

/**
 * Reads one agent: a built-in name, NAME=BUILT-IN for a lane of another name, or NAME=COMMAND.
 * @param flagName for the error text, e.g. `--agent`
 * @throws UsageError for an unknown agent, or a command that cannot run
 */
export function parseAgent(
  text: string,
  flagName: string,
  pollFunction: string | null,
): AgentChoice {
  const [, name = '', command] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  if (command === undefined) {
    if (name.includes('/')) throw new UsageError(`${flagName} ${quoted(text)} has no name`, MEND);
    return { kind: 'reference', name, guard: lookUp('agent', name, guards).name };
  }
  if (!/^[\w.-]{1,40}$/.test(name)) {
    throw new UsageError(`${flagName} ${quoted(text)} has no usable name`, MEND);
  }
  return guards.has(command)
    ? { kind: 'reference', name, guard: command }
    : { kind: 'external', name, command: parseAgentCommand(command), pollFunction };
}
