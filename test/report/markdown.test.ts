import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { code, prose } from '../../src/report/markdown/escape.js';
import { MOST_CHARACTERS, renderMarkdown } from '../../src/report/markdown.js';
import type { LaneResult, Result } from '../../src/results/schema.js';
import {
  hostile,
  INJECTIONS,
  injecting,
  partial,
  storm,
  threeLanes,
  unmeasured,
} from '../fixtures/results.js';
import { savedResult } from '../fixtures/saved.js';
import { golden } from './golden.js';

test('golden: a saved run', async () => {
  golden('saved.md', renderMarkdown([await savedResult()]));
});
test('golden: three lanes have no change', () => {
  golden('markdown-three-lanes.md', renderMarkdown([threeLanes()]));
});
test('golden: several results', () => {
  golden('markdown-several.md', renderMarkdown([partial(), unmeasured()]));
});
test('golden: hostile text', () => {
  golden('markdown-injecting.md', renderMarkdown([injecting()]));
});

/** What is left of a comment without code spans, encoded characters and the project's own markup. */
function unexplained(markdown: string): string {
  return markdown
    .replace(/`[^`|\n]+`/g, '')
    .replace(/&#\d+;/g, ' ')
    .replace(/<\/?(?:details|sub)>|<summary>[\w ]+<\/summary>|<br>/g, '')
    .replace(/^#{3,4} /gm, '')
    .replace(/\*\*[^*\n]+\*\*|^\*Cut here: [^*\n]+\*$/gm, '');
}

function assertHarmless(markdown: string): void {
  assert.doesNotMatch(unexplained(markdown), /[@#<>[\]`*_~\\$&!^{}]|https?:\/|www\.|GH-\d/i);
  // Nothing but what stands there starts a line, and every row has the cells of its table.
  for (const line of markdown.split('\n')) {
    assert.match(line, /^$|^(?:### |#### |- |\||<|\*|⚠️ `|`|\/init every |–)/u, line);
  }
  const bars = (line: string) => line.split('|').length;
  const lines = markdown.split('\n');
  lines.forEach((line, i) => {
    const next = lines[i + 1] ?? '';
    if (line.startsWith('|') && next.startsWith('|'))
      assert.equal(bars(next), bars(line), `${line}\n${next}`);
  });
  const tags = (tag: string) => lines.filter((line) => line === tag).length;
  assert.equal(tags('<details>'), tags('</details>'));
}

test('no text from outside takes effect', () => {
  for (const text of [...INJECTIONS, INJECTIONS.join(' '), '`', '|', '\\', '@', '']) {
    assertHarmless(renderMarkdown([injecting(text)]));
  }
  for (const fixture of [storm, partial, unmeasured, threeLanes, hostile]) {
    assertHarmless(renderMarkdown([fixture()]));
  }
});

const nasty = fc.string({
  unit: fc.constantFrom(...'@#`|\\<>[]()!*_~$&:/.-+="\'\n\t ', 'www', 'GH', 'a', '1', 'é', '😀'),
  maxLength: 200,
});

test('any name is one code span, and nothing else', () => {
  fc.assert(fc.property(nasty, (text) => assert.match(code(text), /^(?:`[^`|\n]+`|–)$/u)));
});

test('any sentence is text in which GitHub finds nothing to link', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const escaped = prose(text);
      assert.doesNotMatch(escaped.replace(/&#\d+;/g, ''), /[@#`|\\<>[\]!*_~$&\n\t]/);
      const shown = escaped.replace(/&#(\d+);/g, (_, n) => String.fromCharCode(Number(n)));
      assert.doesNotMatch(shown, /@\w|#\d|:\/\/|www\.|\bGH-\d|:\w/i);
      assert.doesNotMatch(prose('see 0123456789abcdef'), /[0-9a-f]{7}/);
    }),
  );
});

test('a sentence reads as it stands', () => {
  const text = '3,781.6/s from 91 to 100 pollers: 2 % (the end’s 4,000); "quoted" = 1x';
  assert.equal(prose(text), text);
});

test('at most 65,000 characters, whatever the result; cut between lines, with all tags closed', () => {
  const { lanes, claims, ...rest } = injecting();
  const lane = lanes[0] as LaneResult;
  const claim = claims[0] as Result['claims'][number];
  const most: Result = {
    ...rest,
    lanes: Array.from({ length: 64 }, () => lane),
    claims: Array.from({ length: 256 }, () => claim),
    checks: Array.from({ length: 256 }, () => rest.checks[0] as Result['checks'][number]),
    notes: Array.from({ length: 256 }, () => rest.notes[0] as Result['notes'][number]),
  };
  const few = { ...most, lanes: lanes.slice(0, 2) };
  const copies = (result: Result) => Array.from({ length: 50 }, () => result);
  for (const results of [[most], [few], copies(few), copies(storm())]) {
    const markdown = renderMarkdown(results);
    assert.ok(markdown.length <= MOST_CHARACTERS, `${markdown.length}`);
    assert.match(markdown, /\*Cut here: /);
    assert.match(markdown, /^### envd-bench: /);
    assertHarmless(markdown);
  }
});

test('the verdict comes first', () => {
  assert.match(
    renderMarkdown([storm()]),
    /^### envd-bench: ❌ failed\n\n\*\*1 of 2 checks failed\./,
  );
  assert.match(renderMarkdown([{ ...storm(), checks: [] }]), /^### envd-bench: ℹ️ measured\n/u);
  assert.match(
    renderMarkdown([{ ...partial(), checks: [] }]),
    /^### envd-bench: ⚠️ not conclusive\n/u,
  );
});

test('the change between two lanes, with its direction', () => {
  const markdown = renderMarkdown([storm()]);
  assert.match(markdown, /^\| {2}\| `unguarded` \| `guarded` \| change \|$/m);
  assert.match(markdown, /^\| pollers peak \| 600 .* \| 1 .* \| −99\.8 %, better \|$/m);
});
