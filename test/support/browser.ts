import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser, type Page } from 'playwright-core';

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

/** A page in the packaged Chromium, which is started once a file. Errors of the page fail whoever asks for them. */
export async function openPage(
  options: { width?: number; height?: number } = {},
): Promise<{ page: Page; errors: string[] }> {
  browser ??= launch();
  const { width = 1440, height = 900 } = options;
  // Of a context of its own: nobody else's cookies, and more pages of the same person can be opened in it.
  const context = await (await browser).newContext({ viewport: { width, height }, locale: 'en-US' });
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

/** With these, pages of different people would share their cookies, and every page might read every other. */
const unlikeBrowsers = new Set([
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
]);

async function launch(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args.filter((argument) => !unlikeBrowsers.has(argument)),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
    headless: true,
  });
}
