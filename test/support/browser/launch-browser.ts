import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser, type LaunchOptions } from 'playwright-core';
import { unpackChromium } from './unpack-chromium.ts';

/**
 * Flags that would share cookies between contexts, disable the isolation of pages, or draw with an emulated graphics card, which
 * costs several times the CPU of drawing without one.
 */
const unwanted = new Set([
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
  '--no-zygote',
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]);

/** Launches the packaged Chromium with the settings of a normal browser. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return playwright.launch({
    executablePath: await unpackChromium(),
    args: [
      ...chromium.args.filter((argument) => !unwanted.has(argument)),
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
    headless: true,
    ...options,
  });
}
