import type { HttpVersion, MediaType } from './request.js';

/** An answer of the metadata service, before it is written for the wire. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type: MediaType;
  /** That of the request; HTTP/1.1 where the request could not be read. */
  readonly version: HttpVersion;
  /** Further headers, each with its name and value as they are to be written. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/**
 * Writes an answer in Firecracker's form: no reason phrase, its server name, and `keep-alive`
 * whatever the client asked for.
 * @param closing whether this side closes the connection after it, which the client must be told
 */
export function encodeAnswer(answer: Answer, closing: boolean): Buffer {
  const extra = answer.headers?.map(([name, value]) => `${name}: ${value}\r\n`).join('') ?? '';
  return Buffer.from(
    `${answer.version} ${answer.status} \r\n` +
      'Server: Firecracker API\r\n' +
      `Connection: ${closing ? 'close' : 'keep-alive'}\r\n${extra}` +
      `Content-Type: ${answer.type}\r\n` +
      `Content-Length: ${Buffer.byteLength(answer.body)}\r\n\r\n${answer.body}`,
  );
}

/**
 * Writes an answer as some ordinary web server would, not Firecracker.
 * @param status with its reason phrase, e.g. `200 OK`
 */
export function encodeForeign(
  status: string,
  server: string,
  type: string,
  body: string,
  closing: boolean,
): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status}\r\nServer: ${server}\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: ${closing ? 'close' : 'keep-alive'}\r\n\r\n${body}`,
  );
}
