import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, beforeEach, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './launch-browser.ts';
import { patienceMs } from '#test/support/waiting/wait-until.ts';

/** Starts once for the test files of a process. */
let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

/**
 * The pages of each test that runs, the innermost last. They are closed after it: an open page goes on to draw and to ask, which slows
 * down the tests that follow. A call of `after` in a test would not do, because it belongs to the test that made the promise that was
 * awaited before: here that of the browser.
 */
const pagesOfTests: OpenedPage[][] = [[]];
beforeEach(() => void pagesOfTests.push([]));
afterEach(async (t) => {
  const { passed, error } = t as TestContext;
  for (const opened of pagesOfTests.pop() ?? []) {
    if (!passed && error?.cause instanceof Error) error.cause.stack += await describePage(opened);
    await opened.page.context().close();
  }
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
  /** Is used with a finger: controls are larger. */
  hasTouch?: boolean;
  /** Fetches the files of all parts of the app when it is idle, which takes more than half of the CPU time of a load. Default: no. */
  fetchesAllParts?: boolean;
}

/** A browser that saves data fetches each part of the app on demand. */
const saveData = `Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`;

/** Opens a page in the packaged Chromium. Page errors are collected for the test. */
export async function openPage(options: PageOptions = {}): Promise<OpenedPage> {
  browser ??= launchBrowser();
  const { width = 1440, height = 900, fetchesAllParts = false, ...rest } = options;
  // A separate context has its own cookies and can open more pages of the same person.
  const context = await (
    await browser
  ).newContext({ viewport: { width, height }, locale: 'en-US', reducedMotion: 'reduce', ...rest });
  context.setDefaultTimeout(patienceMs);
  if (!fetchesAllParts) await context.addInitScript(saveData);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    const text = `${message.text()} ${message.location().url}`.trim();
    if (message.type() === 'error' && !isAskedAgain(text)) errors.push(text);
  });
  pagesOfTests.at(-1)!.push({ page, errors });
  return { page, errors };
}

/** People of tests have many pages, whose connections may open in one second: some are told to ask again. */
function isAskedAgain(text: string): boolean {
  return text.includes(' 429 ') && text.endsWith('/api/auth/ws-token');
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules that depend on the theme, which changes nothing but colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** The accessibility violations of the page in its current theme, of these rules or of all: rule and first element. */
export async function accessibilityFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe);
  return page.evaluate(async (runOnly) => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await checker.run({ reporter: 'no-passes', ...(runOnly && { runOnly }) });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  }, rules);
}

export const isFineInBothThemes = (page: Page): Promise<void> => isFine(page, ['light', 'dark']);

export async function isFine(page: Page, themes: readonly ('light' | 'dark')[]): Promise<void> {
  for (const [index, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme });
    const rules = index === 0 ? undefined : colourRules;
    assert.deepEqual(await accessibilityFaults(page, rules), [], colorScheme);
  }
}
