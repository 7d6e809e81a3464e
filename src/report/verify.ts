import { formatDuration } from '../base/duration.js';
import type { ScenarioVerdict, TimelineEntry, Verdict, Verification } from '../results/verify.js';
import {
  type Color,
  padEnd,
  padStart,
  paint,
  toAscii,
  truncate,
  type View,
  wrap,
} from './layout.js';

const MARKS: Record<Verdict, [word: string, color: Color]> = {
  pass: ['PASS', 'green'],
  fail: ['FAIL', 'red'],
  skipped: ['SKIP', 'yellow'],
};

const KIND_WIDTH = Math.max(...['init', 'poll', 'answer', 'identity', 'step'].map((k) => k.length));
const TIME_WIDTH = 10;

/** The narrowest column for reasons, cells. */
const NARROWEST = 30;

/** The verdicts of a suite, and the evidence of those that are no pass. */
export function renderVerification(verification: Verification, view: View): string {
  const { scenarios } = verification;
  const width = Math.max(0, ...scenarios.map(({ scenario }) => scenario.length));
  const text = [
    ...heading(verification, view),
    '',
    ...scenarios.flatMap((one) => verdictLines(one, width, view)),
    '',
    summary(verification),
    '',
  ].join('\n');
  return view.unicode ? text : toAscii(text);
}

function heading(verification: Verification, view: View): string[] {
  const { agent, kind, version, base, isolation, times } = verification;
  const { lifetimeMs, tickMs } = times;
  const parts = [
    `${agent} ${version ?? '(no version)'}`,
    kind === 'external' ? 'a program' : 'built in',
    `pollers of ${formatDuration(lifetimeMs)}, ticks of ${formatDuration(tickMs)}`,
    isolation,
    ...(base === null ? [] : [`against ${base}`]),
  ];
  const [first = '', ...rest] = wrap(parts.join(' · '), view.columns);
  return [paint(first, 'bold', view), ...rest];
}

function verdictLines(one: ScenarioVerdict, width: number, view: View): string[] {
  const { scenario, verdict, reason, timeline } = one;
  const [word, color] = MARKS[verdict];
  const indent = ' '.repeat(word.length + 2);
  const room = view.columns - indent.length;
  // A narrow terminal has no room for two columns: the reason stands below the name.
  const lines =
    room - width < NARROWEST
      ? [truncate(scenario, room), ...wrap(reason, room)]
      : wrap(`${padEnd(scenario, width)}  ${reason}`, room, ' '.repeat(width + 2));
  const [first = '', ...rest] = lines;
  return [
    `${paint(word, color, view)}  ${first}`,
    ...rest.map((line) => indent + line),
    ...(verdict === 'fail' ? timeline.map((entry) => timelineLine(entry, indent, view)) : []),
  ];
}

function timelineLine(entry: TimelineEntry, indent: string, view: View): string {
  const { atMs, untilMs, count, kind, text } = entry;
  const time = padStart(`${(atMs / 1e3).toFixed(3)} s`, TIME_WIDTH);
  const often = count > 1 ? ` (${count} times until ${(untilMs / 1e3).toFixed(3)} s)` : '';
  const line = `${indent}${time}  ${padEnd(kind, KIND_WIDTH)}  ${text}${often}`;
  return paint(truncate(line, view.columns), 'dim', view);
}

function summary({ scenarios, durationMs, complete }: Verification): string {
  const count = (verdict: Verdict) => scenarios.filter((one) => one.verdict === verdict).length;
  const took = formatDuration(Math.max(1, Math.round(durationMs / 100)) * 100);
  const text = `${count('pass')} passed, ${count('fail')} failed, ${count('skipped')} skipped in ${took}`;
  return complete ? text : `${text}; partial: interrupted`;
}
