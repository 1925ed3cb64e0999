import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser, type LaunchOptions } from 'playwright-core';
import { unpackChromium } from './unpack-chromium.ts';

/** These flags would share cookies between contexts and disable the isolation of pages. */
const unlikeBrowsers = new Set([
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
]);

/** Launches the packaged Chromium with the settings of a normal browser. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return playwright.launch({
    executablePath: await unpackChromium(),
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
