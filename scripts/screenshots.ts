import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { signInPage } from '#test/support/demo-sign-in.ts';
import { launchBrowser } from '#test/support/launch-browser.ts';
import { runProduct, startProduct } from '#test/support/product-process.ts';
import { freePort } from '#platform/runtime/free-port.ts';
import { waitUntil } from '#test/support/wait-until.ts';
import { fillWeeks } from './fill-weeks.ts';

/**
 * Pictures of every page, at desktop and phone width, light and dark, empty and after two weeks of use: what to look at
 * after a change of the web app. `npm run screenshots [-- FOLDER]`, else `dist/screenshots`; with `--readme` those that
 * the README shows are replaced too.
 */
const { values, positionals } = parseArgs({
  options: { readme: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folder = path.resolve(positionals[0] ?? 'dist/screenshots');
const dataDir = await mkdtemp(path.join(tmpdir(), 'forgewatch-screenshots-'));
const port = await freePort();
const publicUrl = `http://localhost:${port}`;
const env = { DATA_DIR: dataDir, PORT: String(port), PUBLIC_URL: publicUrl, LOG_LEVEL: 'warn' };

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
const themes = ['light', 'dark'] as const;
const pages = [
  'overview?range=7d',
  'runs',
  'event-log',
  'deliveries',
  'dead-letters',
  'metrics?days=7&groupBy=workflow',
  'members',
  'rules',
  'settings',
  'connect',
];
/** A little traffic in the end, so that something runs while the pictures are taken. */
const traffic = ['--rate', '6', '--seconds', '15', '--seed', '7'];
const readmePictures = {
  runs: 'runs-busy-desktop-light',
  overview: 'overview-busy-desktop-light',
  metrics: 'metrics-busy-desktop-light',
  'runs-phone': 'runs-busy-phone-light',
};

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

await mkdir(folder, { recursive: true });
const product = await startProduct('serve', env);
const browser = await launchBrowser();
const session = await newSession(browser);
try {
  const { integrationId: quiet } = await newIntegration('Quiet');
  await takeAll(browser, quiet, 'empty');
  const busy = await newIntegration('Storefront');
  say('Filling two weeks');
  await fillWeeks({ ...busy, baseUrl: publicUrl });
  await runProduct(['simulate', '--integration', busy.integrationId, ...traffic], env);
  await waitUntil('the queue to be empty', isQueueEmpty, 120_000);
  await takeAll(browser, busy.integrationId, 'busy');
  await takeOpened(browser, busy.integrationId);
  await takeOutside(browser);
  if (values.readme)
    for (const [name, picture] of Object.entries(readmePictures))
      await copyFile(path.join(folder, `${picture}.png`), path.resolve('docs/images', `${name}.png`));
  say(`The pictures are in ${folder}`);
} finally {
  await browser.close();
  await product.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function newIntegration(label: string): Promise<{ integrationId: string; secret: string }> {
  const { stdout, stderr } = await runProduct(['integration', 'create', '--label', label], env);
  if (stdout === '') throw new Error(stderr);
  const made = JSON.parse(stdout) as { integrationId: string; webhookSecret: string };
  return { integrationId: made.integrationId, secret: made.webhookSecret };
}

/** What was accepted is then on the pages. */
async function isQueueEmpty(): Promise<boolean> {
  const metrics = await (await fetch(`${publicUrl}/metrics`)).text();
  return /^forgewatch_queue_ready 0$/m.test(metrics) && /^forgewatch_queue_in_flight 0$/m.test(metrics);
}

async function takeAll(from: Browser, integrationId: string, state: string): Promise<void> {
  for (const page of pages) {
    const name = `${page.split('?')[0]}-${state}`;
    await takeEach(from, `/integrations/${integrationId}/${page}`, name, true);
  }
}

/** The newest run that failed, and the newest entry of the event log beside the list. */
async function takeOpened(from: Browser, integrationId: string): Promise<void> {
  const context = await from.newContext({ storageState: session });
  const newest = async (list: string): Promise<Record<string, unknown>> => {
    const answer = await context.request.get(`${publicUrl}/api/integrations/${integrationId}/${list}`);
    const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
    if (items[0] === undefined) throw new Error(`There is nothing in ${list}`);
    return items[0];
  };
  const { runId } = await newest('workflows?conclusion=failure&limit=1');
  const { entryId } = await newest('event-log?limit=1');
  await context.close();
  await takeEach(from, `/integrations/${integrationId}/runs/${String(runId)}`, 'run-busy', true);
  await takeEach(
    from,
    `/integrations/${integrationId}/event-log?open=${String(entryId)}`,
    'entry-busy',
    true,
  );
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
    await page.waitForLoadState('networkidle');
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // The second frame is drawn with it.
      await page.evaluate(
        'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
      );
      await page.screenshot({ path: path.join(folder, `${name}-${size}-${colorScheme}.png`) });
    }
    await context.close();
  }
}
