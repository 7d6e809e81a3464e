import { cleanText } from '../base/text.js';
import { type Color, displayWidth, padEnd, paint, toAscii, type View, wrap } from './layout.js';

/** What a check found, as the experiment room's doctor has it. */
export interface Examined {
  check: string;
  state: 'ok' | 'limited' | 'missing';
  text: string;
  mend: string | null;
}

const SHOWN: Record<Examined['state'], { mark: string; color: Color }> = {
  ok: { mark: '✔', color: 'green' },
  limited: { mark: '–', color: 'yellow' },
  missing: { mark: '✘', color: 'red' },
};

/** One line a check, what to do below it, and a sum at the end; every line fits into the view. */
export function renderDoctor(found: readonly Examined[], view: View): string {
  const widest = Math.max(...found.map(({ check }) => displayWidth(check)));
  const lines = found.flatMap(({ check, state, text, mend }) => {
    const { mark, color } = SHOWN[state];
    const [first = '', ...rest] = wrap(
      `${mark} ${padEnd(check, widest)}  ${cleanText(text, 1000)}`.replaceAll('  ', ' \u00A0'),
      view.columns,
      '    ',
    ).map((line) => line.replaceAll('\u00A0', ' '));
    const mends = mend === null ? [] : wrap(`    ${cleanText(mend, 1000)}`, view.columns, '    ');
    return [paint(mark, color, view) + first.slice(mark.length), ...rest, ...mends];
  });
  const text = `${[...lines, '', ...wrap(sum(found), view.columns, '  ')].join('\n')}\n`;
  return view.unicode ? text : toAscii(text);
}

function sum(found: readonly Examined[]): string {
  const of = (state: Examined['state']) => found.filter((one) => one.state === state);
  if (of('missing').length > 0) return `run cannot work here: ${names(of('missing'))}`;
  if (of('limited').length > 0) return `run works, within limits: ${names(of('limited'))}`;
  return 'run has all that it needs';
}

function names(found: readonly Examined[]): string {
  return found.map(({ check }) => check).join(', ');
}
