import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './launch-browser.ts';
import { patienceMs } from './wait-until.ts';

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

export interface PageOptions {
  width?: number;
  height?: number;
  /** Where the person is, such as `Pacific/Auckland`. */
  timezoneId?: string;
}

/** A page in the packaged Chromium, which is started once a file. Errors of the page fail whoever asks for them. */
export async function openPage(options: PageOptions = {}): Promise<{ page: Page; errors: string[] }> {
  browser ??= launchBrowser();
  const { width = 1440, height = 900, ...rest } = options;
  // Of a context of its own: nobody else's cookies, and more pages of the same person can be opened in it.
  const context = await (await browser).newContext({ viewport: { width, height }, locale: 'en-US', ...rest });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return { page, errors };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What of the page breaks an accessibility rule, in the theme that it shows: the rule and the first element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await checker.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

export async function isFineInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
}
