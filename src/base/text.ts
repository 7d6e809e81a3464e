import { stripVTControlCharacters } from 'node:util';

/**
 * Makes text from outside (agent names, versions, an agent's stderr) safe to print on one line:
 * no escape sequences, no control, format or bidirectional characters, no line breaks, no piles of
 * combining marks, no half surrogates, and at most `limit` characters.
 * @param limit the most characters (code points) that are kept; what is cut is marked by `…`
 */
export function cleanText(text: string, limit = 200): string {
  // The bound comes first: what is dropped later must not cost time in proportion to its length.
  const plain = stripVTControlCharacters(text.slice(0, limit * 8))
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, '')
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .replace(/ {2,}/g, ' ')
    .trim();
  const characters = [...plain];
  if (characters.length <= limit && text.length <= limit * 8) return plain;
  return `${characters.slice(0, limit - 1).join('')}…`;
}

/** Typed text as an error shows it: in quotes, on one line, and not longer than anybody reads. */
export function quoted(text: string): string {
  return JSON.stringify(cleanText(text, 60));
}
