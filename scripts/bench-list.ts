import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import type { WorkflowRunCount, WorkflowRunPage } from '#contract/runs/runs.ts';
import { signInPage } from '#test/support/identity/demo-sign-in.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { reportMemory } from './bench/flatness.ts';
import { openInspector, readMemory, type PageMemory } from './bench/page-memory.ts';
import { makeEnds } from './ends.ts';
import { startTrial } from './trial.ts';

/**
 * Measures whether the memory of the list of runs grows while 50 events a second arrive and a person scrolls now and then: `npm run
 * bench:list [-- --minutes 60]`. Exits with 1 when memory grows, or when the list does not show the newest run at the end.
 */
const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '50' },
    rows: { type: 'string', default: '10000' },
  },
});
const minutes = Number(flags.minutes);
const rows = Number(flags.rows);
const looks = Math.max(12, Math.round(minutes));
const everyMs = (minutes * 60_000) / looks;

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

const ends = makeEnds();
try {
  const { publicUrl, browser, run, createIntegration } = await startTrial(ends);
  const { integrationId } = await createIntegration('List');
  const simulate = (rate: string, seconds: number) =>
    run('simulate', '--integration', integrationId, '--rate', rate, '--seconds', String(Math.round(seconds)));
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  await signInPage(page, publicUrl);
  const get = async <T>(more: string): Promise<T> => {
    const answer = await page.request.get(`${publicUrl}/api/integrations/${integrationId}/workflows${more}`);
    return (await answer.json()) as T;
  };
  say(`Filling the list with ${rows} runs`);
  while ((await get<WorkflowRunCount>('/count')).count < rows) await simulate('1000', 30);
  await page.goto(`${publicUrl}/integrations/${integrationId}/runs`);
  await page.evaluate('void (globalThis.isFirstLoad = true)');
  const traffic = simulate(flags.rate, minutes * 60);
  await loadRows(page);
  const found = await watch(page);
  process.stdout.write(await traffic);
  const isFlat = reportMemory('list of runs', found, everyMs);
  await page.mouse.move(0, 0);
  const newest = (await get<WorkflowRunPage>('?limit=1')).items[0];
  await page.getByText(`#${newest?.runNumber}`).first().waitFor({ timeout: 120_000 });
  const isFirst = await page.evaluate('globalThis.isFirstLoad === true');
  process.stdout.write(`The newest run is shown; ${isFirst ? 'never' : 'WAS'} reloaded\n`);
  process.exitCode = isFlat && isFirst ? 0 : 1;
} finally {
  await ends.endDownTo(0);
}

/** Scrolls down until the page has `rows` rows. */
async function loadRows(page: Page): Promise<void> {
  await waitUntil(
    'the list to be filled',
    async () => {
      // The pointer holds the rows, so that no new one interrupts the scrolling.
      await page.mouse.move(700, 400);
      await page.mouse.wheel(0, 200_000);
      await page.waitForTimeout(250);
      return (await rowCount(page)) !== -1;
    },
    600_000,
  );
  await page.mouse.move(0, 0);
  await waitUntil('the rows that waited', async () => (await rowCount(page)) >= rows);
}

/** The rows of the list without its header. -1 while the list has more that are not loaded. */
async function rowCount(page: Page): Promise<number> {
  const count = Number(await page.evaluate("document.querySelector('[aria-rowcount]')?.ariaRowCount ?? -1"));
  return count === -1 ? -1 : count - 1;
}

/** The memory at each look. Before each, the list is scrolled down and up again, and the pointer leaves it. */
async function watch(page: Page): Promise<PageMemory[]> {
  const inspector = await openInspector(page);
  const found: PageMemory[] = [];
  const startedAt = performance.now();
  for (let count = 1; count <= looks; count += 1) {
    await delay(Math.max(0, startedAt + count * everyMs - performance.now()));
    await page.getByRole('row').nth(1).hover();
    for (const distance of [3000, 3000, -1_000_000]) {
      await page.mouse.wheel(0, distance);
      await page.waitForTimeout(250);
    }
    await page.mouse.move(0, 0);
    const memory = await readMemory(inspector);
    found.push(memory);
    say(
      `${count}/${looks} ${(memory.heapBytes / 1024).toFixed(0)} KiB, ${memory.nodes} nodes, ${await rowCount(page)} rows`,
    );
  }
  return found;
}
