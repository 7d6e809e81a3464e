/**
 * The longest request head in bytes. Firecracker keeps 2,500 bytes per connection and resets it
 * when they are full without an end of a head (src/vmm/src/dumbo/tcp/endpoint.rs).
 */
export const HEAD_LIMIT = 2500;

/** A request that Firecracker's HTTP parser takes. */
export interface Request {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE';
  /** As it stands in the request line: an absolute path, or an `http://` address. */
  readonly target: string;
  readonly version: HttpVersion;
  readonly accept: MediaType;
  /** All headers that the parser itself gives no meaning, as sent, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What the parser answers to anything else. */
export interface Refusal {
  readonly status: 400 | 501;
  readonly message: string;
}

export type HttpVersion = 'HTTP/1.0' | 'HTTP/1.1';
export type MediaType = 'application/json' | 'text/plain';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH', 'DELETE']);
// The length of the shortest request line, `GET / HTTP/1.0`.
const SHORTEST_LINE = 14;
const INVALID: Refusal = { status: 400, message: 'Invalid request.' };

/**
 * Finds the end of a request head: an empty line.
 * @param bytes what has come so far, one character a byte (latin1)
 * @returns the index behind the head, or -1 while it is not complete
 */
export function headEnd(bytes: string): number {
  for (let at = bytes.indexOf('\n'); at !== -1; at = bytes.indexOf('\n', at + 1)) {
    if (bytes[at + 1] === '\n') return at + 2;
    if (bytes[at + 1] === '\r' && bytes[at + 2] === '\n') return at + 3;
  }
  return -1;
}

/**
 * Reads one request head by the rules of Firecracker's parser, micro-http at 7975fe0. A body is never waited for:
 * a request that announces one is invalid there.
 * @param head latin1, with its empty line
 * @returns the request, or what is to be answered instead; never throws
 */
export function parseHead(head: string): Request | Refusal {
  const lineEnd = head.indexOf('\r\n');
  const headersEnd = head.indexOf('\r\n\r\n', lineEnd);
  if (lineEnd < SHORTEST_LINE) return INVALID;
  const line = head.slice(0, lineEnd);
  const methodEnd = line.indexOf(' ');
  const targetEnd = line.indexOf(' ', methodEnd + 1);
  if (methodEnd === -1 || targetEnd === -1) return INVALID;
  const method = line.slice(0, methodEnd);
  if (!isMethod(method)) return { status: 501, message: 'Unsupported HTTP method.' };
  if (targetEnd === methodEnd + 1) return { status: 400, message: 'Empty URI not allowed.' };
  const target = decode(line.slice(methodEnd + 1, targetEnd));
  if (target === undefined) return { status: 400, message: 'Cannot parse URI as UTF-8.' };
  const version = line.slice(targetEnd + 1);
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') {
    return { status: 501, message: 'Unsupported HTTP version.' };
  }
  if (headersEnd === -1) return INVALID;
  const fields = decode(head.slice(lineEnd + 2, headersEnd));
  if (fields === undefined) return INVALID;
  return parseFields(fields, method, target, version);
}

function parseFields(
  fields: string,
  method: Request['method'],
  target: string,
  version: HttpVersion,
): Request | Refusal {
  // Without an Accept header that it knows, Firecracker answers in plain text.
  let accept: MediaType = 'text/plain';
  const headers: [string, string][] = [];
  for (const field of fields === '' ? [] : fields.split('\r\n')) {
    const colon = field.indexOf(':');
    if (colon === -1) {
      return { status: 400, message: `Header is incorrectly formatted. Key: ${field}` };
    }
    const name = field.slice(0, colon).trim();
    const value = field.slice(colon + 1).trim();
    switch (name.toLowerCase()) {
      case 'accept':
        if (value === 'application/json' || value === 'text/plain') accept = value;
        break;
      case 'content-length':
        if (readU32(value) === undefined) {
          return invalidValue(field.slice(0, colon), field.slice(colon + 1));
        }
        // It looks for the body inside the head, where it never is.
        if (readU32(value) !== 0) return INVALID;
        break;
      case 'accept-encoding': {
        const refused = refusedEncoding(value);
        if (refused !== undefined) return refused;
        break;
      }
      case 'content-type':
      case 'expect':
      case 'transfer-encoding':
      case 'server':
        // Known to the parser, and of no consequence for MMDS.
        break;
      default:
        headers.push([name, value]);
    }
  }
  return { method, target, version, accept, headers };
}

function refusedEncoding(value: string): Refusal | undefined {
  if (value === '') return INVALID;
  const refused = value
    .split(',')
    .map((encoding) => encoding.trim())
    .find((one) => one === 'identity;q=0' || (one === '*;q=0' && !value.includes('identity')));
  return refused === undefined ? undefined : invalidValue('Accept-Encoding', refused);
}

function invalidValue(name: string, value: string): Refusal {
  return { status: 400, message: `Invalid value. Key:${name}; Value:${value}` };
}

/** Reads an unsigned 32-bit number as Rust's `parse::<u32>` does, or gives undefined. */
export function readU32(text: string): number | undefined {
  if (!/^\+?\d{1,32}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 0xffffffff ? value : undefined;
}

function isMethod(text: string): text is Request['method'] {
  return METHODS.has(text);
}

/** The text of latin1-held UTF-8 bytes, or undefined where they are no UTF-8. */
function decode(bytes: string): string | undefined {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
