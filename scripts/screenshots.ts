import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { signInPage } from '#test/support/demo-sign-in.ts';
import { launchBrowser } from '#test/support/launch-browser.ts';
import { runProduct, startProduct } from '#test/support/product-process.ts';
import { freePort } from '#test/support/free-port.ts';

/**
 * Pictures of every page, at desktop and phone width, light and dark, empty and with simulated traffic: what to look at
 * after a change of the web app. `npm run screenshots [-- FOLDER]`, else `dist/screenshots`.
 */
const folder = path.resolve(process.argv[2] ?? 'dist/screenshots');
const dataDir = await mkdtemp(path.join(tmpdir(), 'forgewatch-screenshots-'));
const port = await freePort();
const publicUrl = `http://localhost:${port}`;
const env = { DATA_DIR: dataDir, PORT: String(port), PUBLIC_URL: publicUrl, LOG_LEVEL: 'warn' };

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
const themes = ['light', 'dark'] as const;
const pages = [
  'overview',
  'runs',
  'event-log',
  'deliveries',
  'dead-letters',
  'metrics?days=2&groupBy=workflow',
  'members',
  'rules',
  'settings',
  'connect',
];
const trafficSeconds = 25;

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

await mkdir(folder, { recursive: true });
const product = await startProduct('serve', env);
const browser = await launchBrowser();
const session = await newSession(browser);
try {
  await takeAll(browser, await newIntegration('Quiet'), 'empty');
  const busy = await newIntegration('Storefront');
  say(`Simulating ${trafficSeconds} s of traffic`);
  const options = ['--integration', busy, '--rate', '60', '--seconds', String(trafficSeconds), '--seed', '7'];
  await runProduct(['simulate', ...options], env);
  await takeAll(browser, busy, 'busy');
  await takeOutside(browser);
  say(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  await product.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function newIntegration(label: string): Promise<string> {
  const { stdout, stderr } = await runProduct(['integration', 'create', '--label', label], env);
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { integrationId: string }).integrationId;
}

async function takeAll(from: Browser, integrationId: string, state: string): Promise<void> {
  for (const page of pages) {
    const name = `${page.split('?')[0]}-${state}`;
    await takeEach(from, `/integrations/${integrationId}/${page}`, name, true);
  }
}

/** One for all pictures: sign-ins are limited. */
async function newSession(from: Browser) {
  const page = await from.newPage();
  await signInPage(page, publicUrl);
  const state = await page.context().storageState();
  await page.context().close();
  return state;
}

/** What is seen without being signed in, and outside of any integration. */
async function takeOutside(from: Browser): Promise<void> {
  await takeEach(from, '/sign-in', 'sign-in', false);
  await takeEach(from, '/account', 'account', true);
  await takeEach(from, '/integrations/new', 'new-integration', true);
}

async function takeEach(from: Browser, address: string, name: string, isSignedIn: boolean): Promise<void> {
  say(name);
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await from.newContext({
      viewport,
      locale: 'en-US',
      ...(isSignedIn ? { storageState: session } : {}),
    });
    const page = await context.newPage();
    await page.goto(publicUrl + address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // Skeletons end, charts are drawn.
    await page.waitForLoadState('networkidle').catch(() => {});
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: path.join(folder, `${name}-${size}-${colorScheme}.png`) });
    }
    await context.close();
  }
}
