import type { MmdsAddress } from './attempt.js';

/** What MMDS knows of a sandbox (envd internal/host/mmds.go, the fields that a poller stores). */
export interface Metadata {
  sandboxId: string;
  templateId: string;
  accessTokenHash: string;
}

/** The request for a session token, good for 60 s. */
export function tokenRequest(mmds: MmdsAddress): string {
  return (
    `PUT /latest/api/token HTTP/1.1\r\nHost: ${hostHeader(mmds)}\r\nUser-Agent: envd-bench\r\n` +
    'Content-Length: 0\r\nX-metadata-token-ttl-seconds: 60\r\nConnection: close\r\n\r\n'
  );
}

/**
 * Whether Go's net/http sends `token` as a header: not with a control character but the tab
 * (golang.org/x/net/http/httpguts, ValidHeaderFieldValue). A page of HTML has line breaks.
 */
export function isHeaderValue(token: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what it is about
  return !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(token);
}

/** The request for the metadata. A token that could break the header is sent without its controls. */
export function metadataRequest(mmds: MmdsAddress, token: string): string {
  return (
    `GET / HTTP/1.1\r\nHost: ${hostHeader(mmds)}\r\nUser-Agent: envd-bench\r\n` +
    `X-metadata-token: ${headerValue(token)}\r\nAccept: application/json\r\nConnection: close\r\n\r\n`
  );
}

/**
 * Reads the metadata as envd does: whatever parses as JSON is accepted, `null` as empty values
 * (Go's json.Unmarshal leaves the struct as it was).
 * @returns undefined when it does not parse, or has a value of another type
 */
export function parseMetadata(body: Buffer): Metadata | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  if (parsed !== null && (typeof parsed !== 'object' || Array.isArray(parsed))) return undefined;
  const fields = (parsed ?? {}) as Record<string, unknown>;
  const read = (name: string): string | undefined => {
    const value = fields[name] ?? '';
    return typeof value === 'string' ? value : undefined;
  };
  const sandboxId = read('instanceID');
  const templateId = read('envID');
  const accessTokenHash = read('accessTokenHash');
  if (sandboxId === undefined || templateId === undefined || accessTokenHash === undefined) {
    return undefined;
  }
  return { sandboxId, templateId, accessTokenHash };
}

function hostHeader({ host, port }: MmdsAddress): string {
  return port === 80 ? host : `${host}:${port}`;
}

function headerValue(token: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what must not pass
  return token.replace(/[\u0000-\u001f\u007f-\uffff]/g, '').slice(0, 4096);
}
