import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { renderHtml } from '../../src/report/html.js';
import type { Result } from '../../src/results/schema.js';
import { INJECTIONS, injecting, storm, unmeasured } from '../fixtures/results.js';
import { savedResult } from '../fixtures/saved.js';
import { type Look, type Opened, whyNoBrowser, withPage } from './browser.js';

const noBrowser = whyNoBrowser();
const options = { skip: noBrowser ?? false, timeout: 120_000 };

const dir = mkdtempSync(join(tmpdir(), 'envd-bench-page-'));
after(() => rmSync(dir, { recursive: true, force: true }));

/** Looks at the page of some results, which must do nothing that it may not. */
async function look(
  results: readonly Result[],
  how: Look,
  use: (opened: Opened) => Promise<void>,
): Promise<void> {
  const file = join(dir, 'report.html');
  writeFileSync(file, renderHtml(results));
  await withPage(file, how, async (opened) => {
    await use(opened);
    assert.deepEqual(opened.errors, []);
    assert.deepEqual(opened.requests, [`file://${file}`]);
  });
}

/** How many colours each canvas has that are not its background: a blank chart has none. */
async function inkOf(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(`
    [...document.querySelectorAll('canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const colors = new Set();
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] === 255) colors.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
      }
      return colors.size;
    })`);
}

/** The number of different colours in a picture of the whole page, decoded by the browser itself. */
async function colorsOf(page: Page): Promise<number> {
  const picture = (await page.screenshot()).toString('base64');
  return page.evaluate<number>(`
    new Promise((resolve, reject) => {
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement('canvas');
        canvas.width = image.width;
        canvas.height = image.height;
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        const colors = new Set();
        for (let i = 0; i < data.length; i += 4) {
          colors.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
        }
        resolve(colors.size);
      };
      image.onerror = reject;
      image.src = 'data:image/png;base64,${picture}';
    })`);
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a saved run, ${colorScheme}: figures, charts, nothing blank`, options, async () => {
    await look([await savedResult()], { colorScheme }, async ({ page }) => {
      const text = (await page.textContent('main')) ?? '';
      for (const figure of ['100 [100]', '3,782/s [4,000]', '20,185 [20,000]', 'guarded.pollers']) {
        assert.ok(text.includes(figure), figure);
      }
      assert.equal(await page.locator('canvas').count(), 6);
      for (const colors of await inkOf(page)) assert.ok(colors >= 3, `${colors} colours`);
      assert.ok((await colorsOf(page)) > 20);
      const background = await page.evaluate<string>(
        'getComputedStyle(document.body).backgroundColor',
      );
      const [red = 0] = background.match(/\d+/g)?.map(Number) ?? [];
      assert.equal(red > 127, colorScheme === 'light', background);
    });
  });
}

test('hovering shows the values of that moment, in all charts at once', options, async () => {
  await look([storm()], {}, async ({ page }) => {
    const legends = page.locator('.u-legend');
    assert.match((await legends.allTextContents())[0] ?? '', /unguarded–/);
    await page
      .locator('.u-over')
      .first()
      .hover({ position: { x: 200, y: 60 } });
    const [pollers = '', connections = ''] = await legends.allTextContents();
    assert.match(pollers, /^time[\d.]+ sunguarded\d+guarded1$/);
    const [, count = ''] = /unguarded(\d+)/.exec(pollers) ?? [];
    // In this storm every poller makes 40 connections a second.
    const rate = (Number(count) * 40).toLocaleString('en-US');
    assert.ok(connections.includes(`${rate}/s`), `${rate} in ${connections}`);
  });
});

test('logarithmic charts, and another colour scheme, are drawn anew', options, async () => {
  await look([storm()], {}, async ({ page }) => {
    await page.locator('#logarithmic').check();
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await page.locator('canvas').count(), 6);
    for (const colors of await inkOf(page)) assert.ok(colors >= 3, `${colors} colours`);
  });
});

test(
  'a phone: nothing is wider than the screen, and charts follow when it turns',
  options,
  async () => {
    await look([storm()], { width: 360, height: 740, isTouch: true }, async ({ page }) => {
      const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
      const chart = async () => (await page.locator('.u-over').first().boundingBox())?.width ?? 0;
      assert.equal(await width(), 360);
      const upright = await chart();
      assert.ok(upright > 200 && upright < 360, `${upright}`);
      await page.setViewportSize({ width: 740, height: 360 });
      for (let i = 0; i < 100 && (await chart()) === upright; i++) await page.waitForTimeout(20);
      assert.ok((await chart()) > upright);
      await page
        .locator('.u-over')
        .first()
        .tap({ position: { x: 100, y: 60 } });
      const [pollers] = await page.locator('.u-legend').allTextContents();
      assert.match(pollers ?? '', /unguarded\d+/);
    });
  },
);

// With the content policy and without it: then escaping alone stands in the way.
for (const bypassCSP of [false, true]) {
  test(
    `hostile names and errors are text, policy ${bypassCSP ? 'off' : 'on'}`,
    options,
    async () => {
      for (const text of [INJECTIONS.join(' '), ...(bypassCSP ? INJECTIONS : [])]) {
        await look([injecting(text)], { bypassCSP }, async ({ page }) => {
          assert.match(await page.title(), /^envd-bench: failed, /);
          assert.equal(await page.locator('script').count(), 2);
          assert.equal(await page.locator('img, iframe, object, embed, b:not(dd > b)').count(), 0);
          assert.equal(await page.locator('[onerror], [onmouseover]').count(), 0);
          assert.equal(await page.locator('canvas').count(), 6);
        });
      }
      await look([injecting(INJECTIONS[0])], { bypassCSP }, async ({ page }) => {
        assert.ok((await page.textContent('main'))?.includes(INJECTIONS[0]));
        assert.ok((await page.locator('.u-legend').first().textContent())?.includes('<script>'));
      });
    },
  );
}

test('several results, one of which measured nothing', options, async () => {
  const nothing = unmeasured();
  const results = [storm(), { ...nothing, lanes: nothing.lanes.slice(1) }];
  await look(results, {}, async ({ page }) => {
    assert.equal(await page.locator('#run-0 canvas').count(), 6);
    assert.equal(await page.locator('#run-1 canvas').count(), 0);
    assert.match((await page.textContent('#run-1')) ?? '', /Not measured: Pollers, Connections\/s/);
  });
});
