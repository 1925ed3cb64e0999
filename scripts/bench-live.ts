import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { WorkflowRunPage } from '#contract/runs/runs.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { flatnessOf, largestRatio } from './bench/flatness.ts';
import { openInspector, readMemory, type PageMemory } from './bench/page-memory.ts';
import { makeEnds } from './ends.ts';
import { startTrial, type Trial } from './trial.ts';

/**
 * Shows the overview, a run and the home page under live traffic that nobody looks at: `npm run bench:live [-- --minutes 20]`. Measures
 * layout shift, the CPU time and the memory of each page. Lists get longer with the traffic, so memory is flat if that for each node does
 * not grow, and if the page has no more nodes than when it is opened again. Exits with 1 when a budget is missed.
 */
const { values: flags } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, rate: { type: 'string', default: '20' } },
});
const minutes = Number(flags.minutes);
const looks = Math.max(12, Math.round(minutes * 2));
const everyMs = (minutes * 60_000) / looks;

const mostShift = 0.02;
/** The CLS metric: the largest sum of shifts within five seconds without a pause of one second (https://web.dev/articles/cls). */
const watchShifts = `globalThis.largestShift = 0; (() => {
  let [start, last, sum] = [-Infinity, -Infinity, 0];
  new PerformanceObserver((list) => {
    for (const { startTime, value, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput) continue;
      if (startTime - last > 1000 || startTime - start > 5000) [start, sum] = [startTime, 0];
      last = startTime;
      sum += value;
      globalThis.largestShift = Math.max(globalThis.largestShift, sum);
    }
  }).observe({ type: 'layout-shift' });
})()`;
/** Of a processor core. */
const mostCpu = 0.15;

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

interface LivePage {
  name: string;
  page: Page;
  inspector: CDPSession;
  looks: PageMemory[];
}

const ends = makeEnds();
try {
  const trial = await startTrial(ends);
  const { integrationId } = await trial.createIntegration('Live');
  const simulate = (rate: string, seconds: number) =>
    trial.run('simulate', '--integration', integrationId, '--rate', rate, '--seconds', String(seconds));
  say('Filling the pages');
  await simulate('100', 60);
  const pages = await openPages(trial, integrationId);
  const traffic = simulate(flags.rate, Math.round(minutes * 60));
  const areMet = await watch(pages);
  process.stdout.write(await traffic);
  for (const page of pages) areMet.push(...(await reportMemory(trial.browser, page)));
  process.exitCode = areMet.every(Boolean) ? 0 : 1;
} finally {
  await ends.endDownTo(0);
}

/** Each page has a browser context of its own, and so a process of its own. */
async function openPages({ browser, publicUrl }: Trial, integrationId: string): Promise<LivePage[]> {
  const first = await browser.newPage();
  await signInPage(first, publicUrl);
  const session = await first.context().storageState();
  const answer = await first.request.get(
    `${publicUrl}/api/integrations/${integrationId}/workflows?status=completed&limit=1`,
  );
  const run = ((await answer.json()) as WorkflowRunPage).items[0]!;
  await first.context().close();
  const own = `${publicUrl}/integrations/${integrationId}`;
  return [
    await openPage(browser, session, 'overview', `${own}/overview`),
    await openPage(browser, session, 'run', `${own}/runs/${run.runId}`),
    await openPage(browser, session, 'home', `${publicUrl}/`),
  ];
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

async function openPage(
  browser: Browser,
  storageState: Session,
  name: string,
  address: string,
): Promise<LivePage> {
  const viewport = { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport, locale: 'en-US', storageState });
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const inspector = await openInspector(page);
  await inspector.send('Performance.enable');
  await page.evaluate(watchShifts);
  return { name, page, inspector, looks: [] };
}

/** Looks at the pages in even steps. Resolves to whether each budget is met. */
async function watch(pages: readonly LivePage[]): Promise<boolean[]> {
  const startedAt = performance.now();
  const before = await Promise.all(pages.map(cpuSeconds));
  for (let count = 1; count <= looks; count += 1) {
    await delay(Math.max(0, startedAt + count * everyMs - performance.now()));
    for (const { inspector, looks } of pages) looks.push(await readMemory(inspector));
    say(`${count}/${looks} ${pages.map(({ name, looks }) => `${name} ${textOf(looks.at(-1)!)}`).join(', ')}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const areMet: boolean[] = [];
  for (const [index, one] of pages.entries()) {
    const shift = Number(await one.page.evaluate('globalThis.largestShift'));
    areMet.push(report(`${one.name}, layout shift`, shift, mostShift));
    const cpu = ((await cpuSeconds(one)) - before[index]!) / seconds;
    areMet.push(report(`${one.name}, share of a core`, cpu, mostCpu));
  }
  return areMet;
}

/** The first tenth does not count, because caches of the browser fill at first. */
async function reportMemory(
  browser: Browser,
  { name, page, inspector, looks }: LivePage,
): Promise<boolean[]> {
  const warm = looks.slice(Math.ceil(looks.length / 10));
  const { ratio } = flatnessOf(warm.map(({ heapBytes, nodes }) => heapBytes / nodes));
  const last = await readMemory(inspector);
  const again = await openPage(browser, await page.context().storageState(), name, page.url());
  const opened = await readMemory(again.inspector);
  say(`${name}: from ${textOf(warm[0]!)} to ${textOf(last)}, opened again ${textOf(opened)}`);
  return [
    report(`${name}, heap for each node, last third against the first`, ratio, largestRatio),
    report(`${name}, nodes against the page opened again`, last.nodes / opened.nodes, largestRatio),
  ];
}

/** CPU time of the page's process so far. */
async function cpuSeconds({ inspector }: LivePage): Promise<number> {
  const { metrics } = await inspector.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ProcessTime')?.value ?? Number.NaN;
}

function report(what: string, measured: number, budget: number): boolean {
  const isMet = measured <= budget;
  process.stdout.write(`${what}: ${measured.toFixed(3)}; budget ${budget}; ${isMet ? 'met' : 'NOT MET'}\n`);
  return isMet;
}

function textOf({ heapBytes, nodes }: PageMemory): string {
  return `${(heapBytes / 1024).toFixed(0)} KiB and ${nodes} nodes`;
}
