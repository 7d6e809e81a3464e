import { hashAccessToken } from '../agents/access-token.js';
import { cleanText } from '../base/text.js';
import { ACCESS_TOKEN } from '../lane/agent-command.js';

/** Who a sandbox is, as MMDS has it. */
export interface Identity {
  sandboxId: string;
  templateId: string;
}

/** The identity of that number; 0 is the one that a sandbox has before a scenario begins. */
export function identity(number: number): Identity {
  return { sandboxId: `isandbox${number}`, templateId: `template${number}` };
}

/** Firecracker's metadata as the orchestrator puts it (no log collector: nobody would listen). */
export function metadataOf({ sandboxId, templateId }: Identity): Record<string, string> {
  return {
    instanceID: sandboxId,
    envID: templateId,
    address: '',
    accessTokenHash: hashAccessToken(ACCESS_TOKEN),
  };
}

/**
 * Who an agent says it is, in `/envs`, or else in the files that envd keeps (internal/host/mmds.go).
 * @param file reads a file of the agent's
 * @returns what it does not know is left out
 */
export function identityIn(
  envs: Record<string, unknown> | undefined,
  file: (path: string) => string | undefined,
): Partial<Identity> {
  const read = (name: string): string | undefined => {
    const value = envs?.[name] ?? file(`/run/e2b/.${name}`);
    return typeof value === 'string' ? cleanText(value) : undefined;
  };
  const [sandboxId, templateId] = [read('E2B_SANDBOX_ID'), read('E2B_TEMPLATE_ID')];
  return {
    ...(sandboxId !== undefined && { sandboxId }),
    ...(templateId !== undefined && { templateId }),
  };
}

/** An identity in a few words: `isandbox1, template1`; `empty`; `unknown`. */
export function inWords({ sandboxId, templateId }: Partial<Identity>): string {
  const word = (id: string | undefined) => (id === undefined ? 'unknown' : id || 'empty');
  return sandboxId === templateId ? word(sandboxId) : `${word(sandboxId)}, ${word(templateId)}`;
}
