import { type Answer, encodeAnswer } from './answer.js';
import { parseHead, type Refusal, type Request, readU32 } from './request.js';
import { Store, toImds, toJson } from './store.js';
import { Tokens, TTL_SECONDS } from './tokens.js';

/** V2 asks for a session token on every GET, V1 does not. */
export type MmdsVersion = 'V1' | 'V2';

const TOKEN_PATH = '/latest/api/token';
const TOKEN = ['x-metadata-token', 'x-aws-ec2-metadata-token'] as const;
const TOKEN_TTL = ['x-metadata-token-ttl-seconds', 'x-aws-ec2-metadata-token-ttl-seconds'] as const;
const FORWARDED = ['x-forwarded-for'] as const;

/** What an answer depends on beside the request. */
export interface State {
  readonly version: MmdsVersion;
  readonly store: Store;
  readonly tokens: Tokens;
}

/**
 * Firecracker's metadata service without its sockets: a request in, an answer out.
 * Statuses, bodies and headers are those of src/vmm/src/mmds/mod.rs at 81b38b9, because a client
 * may look at any of them.
 */
export class Firecracker {
  readonly #version: MmdsVersion;
  readonly #tokens: Tokens;
  #store: Store;

  /**
   * @param metadata JSON; null is the store before any data was put
   * @param now a monotonic clock in ms, for the lifetime of tokens
   * @throws UsageError when the store cannot hold the metadata
   */
  constructor(version: MmdsVersion, metadata: unknown, now: () => number) {
    this.#version = version;
    this.#tokens = new Tokens(now);
    this.#store = Store.of(metadata);
  }

  /** Replaces the metadata. @throws UsageError when the store cannot hold it */
  put(metadata: unknown): void {
    this.#store = Store.of(metadata);
  }

  /**
   * Answers a request head as it came from the wire (latin1).
   * @param store the data to answer from, where it is not its own
   */
  answer(head: string, store: Store = this.#store): Answer {
    const request = parseHead(head);
    if ('message' in request) return refuse(request);
    return respond(request, { version: this.#version, tokens: this.#tokens, store });
  }

  /** {@link answer}, written for the wire. */
  encoded(head: string, closing: boolean, store?: Store): Buffer {
    return encodeAnswer(this.answer(head, store), closing);
  }
}

/** Whether a request head asks for a session token. */
export function isTokenRequest(head: string): boolean {
  const request = parseHead(head);
  return (
    !('message' in request) &&
    request.method === 'PUT' &&
    collapse(absolutePath(request.target)) === TOKEN_PATH
  );
}

function refuse(refusal: Refusal): Answer {
  // Its parser's own answers leave the content type at its default.
  return {
    status: refusal.status,
    body: refusal.message,
    type: 'application/json',
    version: 'HTTP/1.1',
  };
}

/** Answers a request from the given state. Pure but for the clock of the tokens. */
export function respond(request: Request, state: State): Answer {
  const path = absolutePath(request.target);
  if (path === '') return plain(request, 400, 'Invalid URI.');
  if (request.method === 'PUT') return respondToPut(request, path, state);
  if (request.method !== 'GET') {
    return { ...plain(request, 405, 'Not allowed HTTP method.'), headers: [['Allow', 'GET, PUT']] };
  }
  if (state.version === 'V2') {
    const token = header(request, TOKEN)?.[1];
    if (token === undefined) {
      return plain(
        request,
        401,
        'No MMDS token provided. Use `X-metadata-token` or `X-aws-ec2-metadata-token` header to ' +
          'specify the session token.',
      );
    }
    if (!state.tokens.isValid(token)) return plain(request, 401, 'MMDS token not valid.');
  }
  return respondToGet(request, path, state.store);
}

function respondToGet(request: Request, path: string, store: Store): Answer {
  const value = store.find(collapse(path));
  if (value === undefined) return notFound(request, path);
  const body = request.accept === 'application/json' ? toJson(value) : toImds(value);
  if (body === undefined) {
    return plain(request, 501, 'Cannot retrieve value. The value has an unsupported type.');
  }
  return { status: 200, body, type: request.accept, version: request.version };
}

function respondToPut(request: Request, path: string, { tokens }: State): Answer {
  const forwarded = header(request, FORWARDED);
  if (forwarded) {
    const reason = `Unsupported header name. Key: ${forwarded[0]}`;
    return plain(request, 400, `Invalid header. Reason: ${reason}`);
  }
  if (collapse(path) !== TOKEN_PATH) return notFound(request, path);
  const ttl = header(request, TOKEN_TTL);
  if (!ttl) {
    return plain(
      request,
      400,
      'Token time to live value not found. Use `X-metadata-token-ttl-seconds` or ' +
        "`X-aws-ec2-metadata-token-ttl-seconds` header to specify the token's lifetime.",
    );
  }
  const [name, value] = ttl;
  const seconds = readU32(value);
  if (seconds === undefined) {
    const reason = `Invalid value. Key:${name}; Value:${value}`;
    return plain(request, 400, `Invalid header. Reason: ${reason}`);
  }
  if (seconds < TTL_SECONDS.min || seconds > TTL_SECONDS.max) {
    return plain(
      request,
      400,
      `Invalid time to live value provided for token: ${seconds}. Please provide a value between ` +
        `${TTL_SECONDS.min} and ${TTL_SECONDS.max}.`,
    );
  }
  // The header comes back under the name that the client used.
  return { ...plain(request, 200, tokens.issue(seconds)), headers: [[name, `${seconds}`]] };
}

function plain(request: Request, status: number, body: string): Answer {
  return { status, body, type: 'text/plain', version: request.version };
}

function notFound(request: Request, path: string): Answer {
  return plain(request, 404, `Resource not found: ${path}.`);
}

/** The header that has one of the names, which are in lower case; the last one counts. */
function header(
  request: Request,
  names: readonly string[],
): readonly [name: string, value: string] | undefined {
  return request.headers.findLast(([name]) => names.includes(name.toLowerCase()));
}

/** The path of a request target; empty where there is none, which is no valid target. */
function absolutePath(target: string): string {
  if (target.startsWith('/')) return target;
  if (!target.startsWith('http://')) return '';
  const slash = target.indexOf('/', 'http://'.length);
  return slash === -1 ? '' : target.slice(slash);
}

function collapse(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}
