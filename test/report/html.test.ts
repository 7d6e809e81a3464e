import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawCharts } from '../../src/report/html/client.js';
import { html, inline, jsonIsland, Markup } from '../../src/report/html/markup.js';
import { renderHtml } from '../../src/report/html.js';
import {
  hostile,
  INJECTIONS,
  injecting,
  storm,
  threeLanes,
  unmeasured,
} from '../fixtures/results.js';
import { savedResult } from '../fixtures/saved.js';
import { golden } from './golden.js';

/** A page without the library and the script, which are long and not this format's own words. */
function withoutLibrary(page: string): string {
  return page
    .replace(/<script>.*<\/script>/s, '<script>…</script>')
    .replace(/<style>.*<\/style>/s, '<style>…</style>')
    .replaceAll(/sha256-[\w+/=]+/g, 'sha256-…');
}

test('golden: a saved run', async () => {
  golden('saved.html', withoutLibrary(renderHtml([await savedResult()])));
});

test('nothing comes from elsewhere', () => {
  for (const fixture of [storm, injecting]) {
    const page = withoutLibrary(renderHtml([fixture()]));
    const references = [...page.matchAll(/<[^>]+\s(?:src|href|action|data|poster)="([^"]*)"/g)];
    assert.deepEqual(
      references.map(([, target]) => target),
      ['data:,'],
    );
    assert.match(page, /Content-Security-Policy" content="default-src &#39;none&#39;;/);
  }
});

test('no text from outside becomes markup: the elements are those of a harmless result', () => {
  const elements = (text: string) =>
    withoutLibrary(renderHtml([injecting(text)])).match(/<\/?[a-z!][^\s>]*/gi);
  const harmless = elements('harmless');
  for (const text of INJECTIONS) assert.deepEqual(elements(text), harmless, text);
});

test('any result is a page', () => {
  for (const fixture of [storm, threeLanes, unmeasured, hostile]) {
    const page = renderHtml([fixture()]);
    assert.match(page, /^<!DOCTYPE html>\n/);
    assert.ok(page.endsWith('</html>\n'));
    const text = withoutLibrary(page).replaceAll('\n', '');
    assert.doesNotMatch(text, /undefined|NaN|\[object|[\p{Cc}\p{Cf}]/u);
  }
});

test('several results: a list of them, and a section each', () => {
  const page = renderHtml([storm(), unmeasured()]);
  assert.equal(page.match(/<section id="run-\d">/g)?.length, 2);
  assert.equal(page.match(/<a href="#run-\d">/g)?.length, 2);
});

test('a template escapes whatever is no markup', () => {
  const evil = `<a href="x">&'`;
  assert.equal(html`<p title="${evil}">${evil}</p>`.text.includes('<a'), false);
  assert.equal(html`${1}${['<', html`<b>${'&'}</b>`]}`.text, '1&lt;<b>&amp;</b>');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(html`${text}`.text, /[<>"'\p{Cc}\p{Cf}]|&(?!(?:amp|lt|gt|quot|#39);)/u);
    }),
  );
});

test('data cannot end its element, and is what it was', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('</script>', '<!--', '\u2028\u2029'),
      (json, evil) => {
        const island = jsonIsland('data', [json, evil]).text;
        const [, inside = ''] =
          /^<script type="application\/json" id="data">(.*)<\/script>$/.exec(island) ?? [];
        assert.doesNotMatch(inside, /[<\u2028\u2029]/);
        assert.deepEqual(JSON.parse(inside), JSON.parse(JSON.stringify([json, evil])));
      },
    ),
  );
});

test('a script or style that would end its element is refused', () => {
  assert.throws(() => inline('script', 'x = "</script>"'), /too early/);
  assert.throws(() => inline('style', '</STYLE>'), /too early/);
  assert.ok(inline('script', 'x') instanceof Markup);
});

test('the script of the page is whole by itself', () => {
  // It is sent as its source: what a compiler adds around it would be missing in the browser.
  assert.match(drawCharts.toString(), /^function drawCharts\(window, uPlot\) \{/);
  assert.doesNotMatch(drawCharts.toString(), /import|__\w+\(|require/);
});
