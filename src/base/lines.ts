import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/**
 * Reads a stream line by line, as `node:readline` does, but keeps no more of a line than that: who
 * never ends one costs no memory.
 * @param longest the most that is kept of a line, characters; the rest of it is dropped
 * @param onLine is given each line without its end, and at the end of the stream what is left
 */
export function onLines(stream: Readable, longest: number, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let line = '';
  const take = (text: string): void => {
    const [first = '', ...others] = text.split('\n');
    line = (line + first).slice(0, longest);
    for (const next of others) {
      onLine(line.replace(/\r$/, ''));
      line = next.slice(0, longest);
    }
  };
  stream.on('error', () => {});
  stream.on('data', (piece: Buffer) => take(decoder.write(piece)));
  stream.once('end', () => {
    take(decoder.end());
    if (line !== '') onLine(line);
  });
}
