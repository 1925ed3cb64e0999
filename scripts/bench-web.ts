import pg from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { WorkflowRunPage } from '#contract/runs/runs.ts';
import { findRunning } from '#server/running.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { loadHistory, usualHistory } from './bench/history/load-history.ts';
import { makeEnds } from './ends.ts';
import { startTrial } from './trial.ts';

/**
 * Measures the web app on this machine: `npm run bench:web`. Prints one line for each budget. The sizes of loaded files are
 * checked by `web/budget.test.ts`.
 */
const loads = 7;
const rows = 10_000;
const watchMs = 10_000;

const slowLoads = 5;
const phone = { viewport: { width: 390, height: 844 }, locale: 'en-US' };
/** Lighthouse's slow 4G as it applies it to requests: https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md */
const slow4g = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6 * 1024 * 1024 * 0.9) / 8,
  uploadThroughput: (750 * 1024 * 0.9) / 8,
};
const cpuSlowdown = 4;

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

const ends = makeEnds();
try {
  const { publicUrl, dataDir, browser, run, createIntegration } = await startTrial(ends);
  const { integrationId } = await createIntegration('Bench');
  say(`Filling the list with ${rows} runs`);
  await fill(dataDir, integrationId);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  await signInPage(page, publicUrl);
  const address = `${publicUrl}/integrations/${integrationId}/runs`;
  report('time to interactive', await interactiveMs(page, address), 1000, 'ms, median');
  const session = await page.context().storageState();
  const newest = await page.request.get(`${publicUrl}/api/integrations/${integrationId}/workflows?limit=1`);
  const newestRun = ((await newest.json()) as WorkflowRunPage).items[0]!;
  /** Pages with a text that appears with their data. */
  const slowPages = [
    ['overview', `integrations/${integrationId}/overview`, 'Success rate'],
    ['metrics', `integrations/${integrationId}/metrics`, 'Workflows that failed most'],
    ['run', `integrations/${integrationId}/runs/${newestRun.runId}`, `#${newestRun.runNumber}`],
    ['home', '', 'Bench'],
  ] as const;
  for (const [name, path, text] of slowPages) {
    const address = `${publicUrl}/${path}`;
    const { interactiveMs, longestTaskMs } = await slowFirstLoad(browser, session, address, text);
    report(`${name} on a slow phone, time to interactive`, interactiveMs, 2500, 'ms, median');
    report(`${name} on a slow phone, longest task`, longestTaskMs, 200, 'ms, median');
  }

  await page.goto(address);
  const shown = await scrollThrough(page);
  say(`${shown} rows in the list; scrolling with 50 updates a second`);
  const seconds = String(watchMs / 1000 + 2);
  const traffic = ['--integration', integrationId, '--rate', '50', '--seconds', seconds];
  const [frames] = await Promise.all([framesWhileScrolling(page), run('simulate', ...traffic)]);
  report(`frame, 95 % of ${frames.length}, ${shown} rows`, at(frames, 0.95), 20, 'ms');
} finally {
  await ends.endDownTo(0);
}

async function fill(dataDir: string, integrationId: string): Promise<void> {
  const running = await findRunning(dataDir);
  const client = new pg.Client({ connectionString: running?.databaseUrl ?? '' });
  await client.connect();
  await loadHistory(client, integrationId, { ...usualHistory, runs: rows }, say);
  await client.end();
}

function report(what: string, measured: number, budget: number, unit: string): void {
  const verdict = measured <= budget ? 'met' : 'NOT MET';
  process.stdout.write(`${what}: ${measured.toFixed(1)} ${unit}; budget ${budget}; ${verdict}\n`);
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** From the start of the navigation until a row is shown and the main thread is idle, on a warm server. */
async function interactiveMs(page: Page, address: string): Promise<number> {
  const measured: number[] = [];
  for (let load = 0; load <= loads; load++) {
    await page.goto(address, { waitUntil: 'commit' });
    await page.getByRole('row').nth(1).waitFor();
    const ms = await page.evaluate('new Promise((done) => setTimeout(() => done(performance.now())))');
    // The first load fills the browser's cache.
    if (load > 0) measured.push(Number(ms));
  }
  return at(measured, 0.5);
}

/**
 * The time when the text was painted and the main thread is free. The page notes it itself, because Playwright looks only every
 * half a second.
 */
function whenShown(text: string): string {
  return `new Promise((done) => new MutationObserver((_, watch) => {
    if (!document.body?.textContent.includes(${JSON.stringify(text)})) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now())));
  }).observe(document, { childList: true, subtree: true }))`;
}

/** The median of loads without a cache, on a slow network and processor. */
async function slowFirstLoad(
  browser: Browser,
  session: Awaited<ReturnType<BrowserContext['storageState']>>,
  address: string,
  text: string,
): Promise<{ interactiveMs: number; longestTaskMs: number }> {
  const measured: { interactiveMs: number; longestTaskMs: number }[] = [];
  while (measured.length < slowLoads) {
    const context = await browser.newContext({ ...phone, storageState: session });
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.emulateNetworkConditions', slow4g);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
    await page.addInitScript(`window.tasks = [];
      new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((task) => task.duration)))
        .observe({ type: 'longtask', buffered: true });
      window.interactive = ${whenShown(text)};`);
    await page.goto(address, { waitUntil: 'commit' });
    const [interactiveMs, ...tasks] = (await page.evaluate(
      'window.interactive.then((ms) => [ms, ...window.tasks])',
    )) as number[];
    measured.push({ interactiveMs: interactiveMs ?? Number.NaN, longestTaskMs: Math.max(0, ...tasks) });
    await context.close();
  }
  const median = (name: keyof (typeof measured)[number]): number =>
    at(
      measured.map((one) => one[name]),
      0.5,
    );
  return { interactiveMs: median('interactiveMs'), longestTaskMs: median('longestTaskMs') };
}

/** Scrolls down until the list has all its rows, or no more arrive. */
async function scrollThrough(page: Page): Promise<number> {
  // Includes the header. -1 while more rows exist.
  const count = () => page.evaluate("Number(document.querySelector('[aria-rowcount]')?.ariaRowCount ?? -1)");
  await page.getByRole('row').nth(1).hover();
  await waitUntil('the list to be filled', async () => {
    await page.mouse.wheel(0, 200_000);
    await page.waitForTimeout(250);
    return Number(await count()) > 0;
  });
  return Number(await count()) - 1;
}

async function framesWhileScrolling(page: Page): Promise<number[]> {
  await page.evaluate(`window.frames95 = []; (() => {
    let last = performance.now();
    const note = (now) => { window.frames95.push(now - last); last = now; requestAnimationFrame(note); };
    requestAnimationFrame(note);
  })()`);
  const end = Date.now() + watchMs;
  for (let step = 0; Date.now() < end; step++) {
    await page.mouse.wheel(0, step % 100 < 50 ? -600 : 600);
    await page.waitForTimeout(50);
  }
  return (await page.evaluate('window.frames95')) as number[];
}
