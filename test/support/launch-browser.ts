import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser, type LaunchOptions } from 'playwright-core';

/** With these, pages of different people would share their cookies, and every page might read every other. */
const unlikeBrowsers = new Set([
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
]);

/** The packaged Chromium, as people have theirs set up. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
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
    ...options,
  });
}
