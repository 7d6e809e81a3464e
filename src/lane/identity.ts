import { Client } from 'undici';
import { cleanText } from '../base/text.js';
import type { LaneResult } from '../results/schema.js';
import type { Address, AgentProcess } from './network/network.js';

/** How long `/envs` may take, and the most of its answer that is read. */
const WITHIN_MS = 2_000;
const LONGEST = 1 << 20;

/**
 * Asks the agent who it is: `/envs`, and where that is not answered the file that envd keeps
 * (internal/host/mmds.go).
 * @param served what MMDS served last
 * @returns null when the agent knows no identity, or does not say
 */
export async function identityOf(
  agent: Address,
  process: AgentProcess,
  accessToken: string,
  served: { instanceID: string; envID: string },
): Promise<LaneResult['identity']> {
  const envs = (await readEnvs(agent, accessToken)) ?? {};
  const sandboxId = text(envs.E2B_SANDBOX_ID) ?? process.rootFile('/run/e2b/.E2B_SANDBOX_ID');
  const templateId = text(envs.E2B_TEMPLATE_ID) ?? process.rootFile('/run/e2b/.E2B_TEMPLATE_ID');
  if (sandboxId === undefined || templateId === undefined) return null;
  return {
    sandboxId: cleanText(sandboxId),
    templateId: cleanText(templateId),
    isServed: sandboxId === served.instanceID && templateId === served.envID,
  };
}

async function readEnvs(
  { host, port }: Address,
  accessToken: string,
): Promise<Record<string, unknown> | undefined> {
  const client = new Client(`http://${host}:${port}`, { maxResponseSize: LONGEST });
  try {
    const { statusCode, body } = await client.request({
      method: 'GET',
      path: '/envs',
      headers: { 'x-access-token': accessToken },
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    const envs: unknown = await body.json();
    return statusCode === 200 && typeof envs === 'object' && envs !== null
      ? (envs as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  } finally {
    await client.destroy();
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
