import { withPage } from './browser.js';
const [file = '', to = ''] = process.argv.slice(2);
for (const [name, look] of Object.entries({
  light: { width: 1200, height: 900 },
  dark: { width: 1200, height: 900, colorScheme: 'dark' as const },
  phone: { width: 390, height: 844, isTouch: true },
})) {
  await withPage(file, look, async ({ page, errors, requests }) => {
    if (name === 'dark') {
      await page.locator('.u-over').first().hover({ position: { x: 300, y: 100 } });
      await page.locator('#logarithmic').check();
      await page.locator('.u-over').first().hover({ position: { x: 300, y: 100 } });
    }
    await page.screenshot({ path: `${to}-${name}.png`, fullPage: true });
    process.stdout.write(`${name} ${errors.join('|')} ${requests.join(' ')}\n`);
  });
}
