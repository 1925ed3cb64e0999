import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { endOfJob, endOfRun } from '#test/support/alerts/alert-program.ts';
import { openAs, watchShifts } from '#test/support/browser/page-session.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Shop');
const days = [0, 1, 3, 5, 10, 16];
const ends: number[] = [];
for (const [index, day] of days.entries()) {
  const end = -86_400 * day;
  const conclusion = index % 3 === 1 ? 'failure' : 'success';
  const [run, job] = [endOfRun(index + 1, conclusion, end), endOfJob(index + 1, index + 1, conclusion, end)];
  ends.push(Date.parse(run.workflow_run.updated_at));
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: run });
  await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload: job });
}
await waitUntil('all runs to be stored', async () => {
  const { body } = await team.viewer.call(
    'GET',
    team.path('/metrics?granularity=day&from=2026-01-01T00:00:00Z'),
  );
  return (body['total'] as { runs: number }).runs === days.length;
});
const at = (path: string): string => `/integrations/${team.integrationId}/${path}`;

/** The canvas of a chart and its place on the page. */
async function chart(page: Page, label: string) {
  const over = page.getByRole('region', { name: label, exact: true }).locator('.u-over');
  await over.waitFor();
  await over.scrollIntoViewIfNeeded();
  const box = (await over.boundingBox())!;
  return { over, box, hoverAt: (share: number) => page.mouse.move(box.x + box.width * share, box.y + 60) };
}

test('the pointer moves one crosshair over all charts, and no chart moves', async () => {
  const { page, errors, go } = await openAs(product, team.viewer);
  const shifts = await watchShifts(page);
  await go(at('metrics?days=30'));
  const { over, box, hoverAt } = await chart(page, 'Duration');
  const before = await shifts();
  for (const share of [0.2, 0.5, 0.9]) await hoverAt(share);
  for (const label of ['Runs', 'Duration', 'Runner minutes'])
    await page
      .getByRole('region', { name: label, exact: true })
      .locator('[data-pointed]:not(:empty)')
      .waitFor();
  assert.equal((await over.boundingBox())!.y, box.y);
  assert.equal(await shifts(), before);
  assert.deepEqual(errors, []);
});

test('a drag over a chart becomes the range of the address, and a click opens the runs of its day', async () => {
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(at('metrics?days=30'));
  const { hoverAt } = await chart(page, 'Runs');
  await hoverAt(0.5);
  await page.mouse.down();
  await hoverAt(0.7);
  await hoverAt(0.99);
  await page.mouse.up();
  await page.waitForURL(/from=.*&to=/);
  await page.getByRole('button', { name: /^Remove filter range/ }).waitFor();
  const runs = page
    .getByText(/completed runs/)
    .locator('[data-count]')
    .first();
  await waitUntil('the chosen range to be counted', async () => {
    const count = Number(await runs.innerText());
    return count > 1 && count < days.length;
  });
  const zoomed = await chart(page, 'Runs');
  await zoomed.hoverAt(0.97);
  await page
    .getByRole('region', { name: 'Runs', exact: true })
    .locator('[data-pointed]:not(:empty)')
    .waitFor();
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForURL(/\/runs\?completedFrom=/);
  // The last day has no run if it has just begun.
  const day = new URL(page.url()).searchParams;
  const [from = 0, to = 0] = ['completedFrom', 'completedTo'].map((name) => Date.parse(day.get(name) ?? ''));
  const count = ends.filter((end) => end >= from && end < to).length;
  await page.getByText(count === 1 ? '1 run' : `${count} runs`, { exact: true }).waitFor();
  assert.deepEqual(errors, []);
});
