import { cleanText } from '../../base/text.js';

/** The longest text from outside that is shown whole. */
const LONGEST_TEXT = 1000;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup that is safe to put into a page as it stands. Only this file makes it. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | readonly Part[];

/**
 * A template for markup: whatever is put into it is text, cleaned, bounded and escaped, unless it
 * is markup itself. So nothing from outside can become markup by being forgotten.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    texts.map((text, i) => text + (i < parts.length ? markupOf(parts[i] ?? '') : '')).join(''),
  );
}

/**
 * A script or style element. Its text is this project's or a library's own, never from outside.
 * @throws Error when the text would end its element
 */
export function inline(element: 'script' | 'style', text: string): Markup {
  if (/<\/(?:script|style)|<!--/i.test(text)) throw new Error(`the ${element} would end too early`);
  return new Markup(`<${element}>${text}</${element}>`);
}

/**
 * Data for a script, as JSON in which no character can end the element or a line: `<` and the line
 * ends of JavaScript are written as escapes, which JSON reads as the same characters.
 */
export function jsonIsland(id: string, data: unknown): Markup {
  const json = JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return html`<script type="application/json" id="${id}">${new Markup(json)}</script>`;
}

function markupOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(markupOf).join('');
  return cleanText(String(part), LONGEST_TEXT).replace(/[&<>"']/g, (c) => ENTITIES[c] ?? '');
}
