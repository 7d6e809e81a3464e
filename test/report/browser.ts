import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Why pages cannot be looked at here; undefined where they can. */
export function whyNoBrowser(): string | undefined {
  return existsSync(CHROMIUM) ? undefined : `no browser at ${CHROMIUM} (set CHROMIUM to one)`;
}

export interface Look {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** Runs what the page's own content policy forbids: then only escaping protects. */
  bypassCSP?: boolean;
  isTouch?: boolean;
}

/** What a page did that it must not do. */
export interface Opened {
  page: Page;
  /** Errors on the console, thrown ones, and warnings of the content policy. */
  errors: string[];
  /** Everything that it asked for beside itself. */
  requests: string[];
}

/** Opens a file in a headless Chromium of its own, which ends after `use`. */
export async function withPage(
  file: string,
  look: Look,
  use: (opened: Opened) => Promise<void>,
): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'envd-bench-browser-'));
  let context: BrowserContext | undefined;
  try {
    context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM,
      headless: true,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      viewport: { width: look.width ?? 1200, height: look.height ?? 900 },
      colorScheme: look.colorScheme ?? 'light',
      bypassCSP: look.bypassCSP ?? false,
      isMobile: look.isTouch ?? false,
      hasTouch: look.isTouch ?? false,
      offline: true,
    });
    const page = context.pages()[0] ?? (await context.newPage());
    const errors: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('dialog', (dialog) => {
      errors.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`file://${file}`);
    await use({ page, errors, requests });
  } finally {
    await context?.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
