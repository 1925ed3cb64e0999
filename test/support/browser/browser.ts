import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, type TestContext } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from './launch-browser.ts';
import { patienceMs } from '#test/support/waiting/wait-until.ts';

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

/** Pages of the test that runs. An open page goes on to draw and to ask, which slows down the tests after it. */
const opened = new Map<BrowserContext, OpenedPage>();
afterEach(async (t) => {
  // A subtest goes on with the page of its test.
  if ('fullName' in t && t.fullName !== t.name) return;
  const { passed, error } = t as TestContext;
  if (!passed && error?.cause instanceof Error)
    error.cause.stack += (await Promise.all([...opened.values()].map(describePage))).join('');
  await Promise.all([...opened.keys()].map((context) => context.close()));
  opened.clear();
});

/** What the page showed when its test failed. */
async function describePage({ page, errors }: OpenedPage): Promise<string> {
  const shown = await page
    .locator('body')
    .ariaSnapshot({ timeout: 5000 })
    .catch((error: unknown) => String(error));
  return `\n--- ${page.url()}\n${[...errors, shown].join('\n').slice(0, 6000)}`;
}

interface OpenedPage {
  page: Page;
  errors: string[];
}

export interface PageOptions {
  width?: number;
  height?: number;
  /** The time zone, for example `Pacific/Auckland`. */
  timezoneId?: string;
  /** The language of the browser, for example `de-DE`; default: `en-US`. */
  locale?: string;
}

/**
 * Opens a page in the packaged Chromium, which starts once per test file. Page errors are collected for the test, and the page is
 * closed after it.
 */
export async function openPage(options: PageOptions = {}): Promise<OpenedPage> {
  browser ??= launchBrowser();
  const { width = 1440, height = 900, ...rest } = options;
  // A separate context has its own cookies and can open more pages of the same person.
  const context = await (
    await browser
  ).newContext({ viewport: { width, height }, locale: 'en-US', reducedMotion: 'reduce', ...rest });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`.trim());
  });
  opened.set(context, { page, errors });
  return { page, errors };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The accessibility violations of the page in its current theme: rule and first element. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await checker.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

export const isFineInBothThemes = (page: Page): Promise<void> => isFine(page, ['light', 'dark']);

export async function isFine(page: Page, themes: readonly ('light' | 'dark')[]): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
  }
}
