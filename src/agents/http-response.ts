/** The most that is read of one answer, in bytes. */
const LONGEST = 1 << 20;

const HEAD_END = Buffer.from('\r\n\r\n');

/** A whole answer: status and body. */
export interface HttpResponse {
  status: number;
  body: Buffer;
}

/**
 * Puts one HTTP/1.1 answer together from the pieces that arrive (RFC 9112 sections 4 to 6). Kept this
 * small because 24,000 of them a second are read while the figures are taken.
 */
export class HttpResponseReader {
  private received: Buffer = Buffer.alloc(0);
  private headEnd = -1;
  private status = 0;
  private length: number | 'chunked' | 'until-close' = 'until-close';

  /**
   * Takes the next piece.
   * @returns the answer once it is whole, else undefined
   * @throws Error when this is no HTTP answer, or one of more than a MiB
   */
  push(piece: Buffer): HttpResponse | undefined {
    this.received = this.received.length === 0 ? piece : Buffer.concat([this.received, piece]);
    if (this.received.length > LONGEST) throw new Error('answer of more than 1 MiB');
    if (this.headEnd < 0 && !this.readHead()) return undefined;
    if (this.length === 'until-close') return undefined;
    if (this.length === 'chunked') return this.readChunks();
    if (this.received.length - this.headEnd < this.length) return undefined;
    return this.answer(this.received.subarray(this.headEnd, this.headEnd + this.length));
  }

  /** The connection has ended: the answer if its body ran up to the end, else undefined. */
  end(): HttpResponse | undefined {
    if (this.headEnd < 0 || this.length !== 'until-close') return undefined;
    return this.answer(this.received.subarray(this.headEnd));
  }

  private answer(body: Buffer): HttpResponse {
    return { status: this.status, body };
  }

  private readHead(): boolean {
    for (;;) {
      const end = this.received.indexOf(HEAD_END);
      if (end < 0) return false;
      const head = this.received.toString('latin1', 0, end);
      const status = /^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head);
      if (!status) throw new Error('no HTTP answer');
      this.status = Number(status[1]);
      this.headEnd = end + HEAD_END.length;
      if (this.status >= 200) {
        this.readFraming(head);
        return true;
      }
      // An interim answer (1xx): the final one follows.
      this.received = this.received.subarray(this.headEnd);
      this.headEnd = -1;
    }
  }

  /** How long the body is (RFC 9112 section 6.3). */
  private readFraming(head: string): void {
    const length = /\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*(?:\r|$)/i.exec(head);
    if (this.status === 204 || this.status === 304) this.length = 0;
    else if (/\r\ntransfer-encoding:[^\r]*chunked/i.test(head)) this.length = 'chunked';
    else if (length) this.length = Number(length[1]);
  }

  private readChunks(): HttpResponse | undefined {
    const chunks: Buffer[] = [];
    let at = this.headEnd;
    for (;;) {
      const lineEnd = this.received.indexOf('\r\n', at);
      if (lineEnd < 0) return undefined;
      const size = /^([0-9a-f]{1,8})(?:;|[ \t]*$)/i.exec(
        this.received.toString('latin1', at, lineEnd),
      );
      if (!size) throw new Error('broken chunk in an answer');
      const length = Number.parseInt(size[1] ?? '', 16);
      if (length === 0) {
        // Trailers and an empty line: what is left unread would turn the close into a reset.
        const isWhole = this.received.indexOf(HEAD_END, lineEnd) >= 0;
        return isWhole ? this.answer(Buffer.concat(chunks)) : undefined;
      }
      const start = lineEnd + 2;
      at = start + length + 2;
      if (this.received.length < at) return undefined;
      if (this.received.toString('latin1', at - 2, at) !== '\r\n') {
        throw new Error('broken chunk in an answer');
      }
      chunks.push(this.received.subarray(start, start + length));
    }
  }
}
