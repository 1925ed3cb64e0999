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
  const page = await (await browser).newPage({ viewport: { width, height } });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return { page, errors };
}

async function launch(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args,
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
    headless: true,
  });
}
