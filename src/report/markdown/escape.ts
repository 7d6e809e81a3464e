import { cleanText } from '../../base/text.js';
import { NO_DATA } from '../numbers.js';

/** An invisible character that parts what GitHub would otherwise join into a link. */
const APART = '&#8203;';

/**
 * Where GitHub makes links of plain text: @mentions and addresses, #123 and GH-123, URLs, `www.`,
 * commit hashes; and `:name:`, which becomes an emoji. It looks for them after markdown and HTML
 * entities are resolved, so encoding alone does not stop it
 * (https://docs.github.com/en/get-started/writing-on-github, "Autolinked references and URLs").
 */
const LINKS = /[@#]|:(?=[\w/+-])|www(?=\.)|\bGH-(?=\d)/gi;
const HASHES = /\b(?=\d*[a-f])[\da-f]{7,}\b/gi;

/** ASCII that means something to markdown or HTML inside a line. */
const SPECIAL = /[!#$&*<>@[\\\]^_`{|}~]/g;

/**
 * A name as a code span: GitHub leaves what is in one alone. What would end the span or the cell
 * that it is in has no escape that holds in all of GitHub's parsers, so it is replaced.
 */
export function code(text: string): string {
  const plain = cleanText(text, 60).replaceAll('`', "'").replaceAll('|', '¦');
  return plain === '' ? NO_DATA : `\`${plain}\``;
}

/** A sentence from outside: it reads as it stands, and is nothing but text. Not for a line's start. */
export function prose(text: string, limit = 500): string {
  return cleanText(text, limit)
    .replace(LINKS, '$&\u200B')
    .replace(HASHES, (hash) => hash.replace(/.{6}/g, '$&\u200B'))
    .replace(SPECIAL, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('\u200B', APART);
}
