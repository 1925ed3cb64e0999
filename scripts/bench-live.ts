import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import type { WorkflowRunPage } from '#contract/runs/runs.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { reportMemory } from './bench/flatness.ts';
import { openInspector, readMemory, type PageMemory } from './bench/page-memory.ts';
import { makeEnds } from './ends.ts';
import { startTrial, type Trial } from './trial.ts';

/**
 * Shows the overview, a run and the home page under live traffic that nobody looks at: `npm run bench:live [-- --minutes 20]`. Measures
 * memory, layout shift and the CPU time of each page. Exits with 1 when a budget is missed.
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
  process.exitCode = areMet ? 0 : 1;
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
  const open = async (name: string, address: string): Promise<LivePage> => {
    const viewport = { width: 1440, height: 900 };
    const context = await browser.newContext({ viewport, locale: 'en-US', storageState: session });
    const page = await context.newPage();
    await page.goto(address, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const inspector = await openInspector(page);
    await inspector.send('Performance.enable');
    await page.evaluate(watchShifts);
    return { name, page, inspector, looks: [] };
  };
  return [
    await open('overview', `${own}/overview`),
    await open('run', `${own}/runs/${run.runId}`),
    await open('home', `${publicUrl}/`),
  ];
}

/** Looks at the pages in even steps. True when all budgets are met. */
async function watch(pages: readonly LivePage[]): Promise<boolean> {
  const startedAt = performance.now();
  const before = await Promise.all(pages.map(cpuSeconds));
  for (let count = 1; count <= looks; count += 1) {
    await delay(Math.max(0, startedAt + count * everyMs - performance.now()));
    for (const { inspector, looks } of pages) looks.push(await readMemory(inspector));
    say(`${count}/${looks} ${pages.map(({ name, looks }) => `${name} ${kib(looks.at(-1))} KiB`).join(', ')}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const areMet: boolean[] = [];
  for (const [index, one] of pages.entries()) {
    areMet.push(reportMemory(one.name, one.looks, everyMs));
    const shift = Number(await one.page.evaluate('globalThis.largestShift'));
    areMet.push(report(`${one.name}, layout shift`, shift, mostShift));
    const cpu = ((await cpuSeconds(one)) - before[index]!) / seconds;
    areMet.push(report(`${one.name}, share of a core`, cpu, mostCpu));
  }
  return areMet.every(Boolean);
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

function kib(look: PageMemory | undefined): string {
  return ((look?.heapBytes ?? 0) / 1024).toFixed(0);
}
