import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { isFineInBothThemes } from '#test/support/browser/browser.ts';
import { countInputs, openAs, sidewaysScroll } from '#test/support/browser/page-session.ts';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam();
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

/** A run of two jobs, the second of which begins when the first ends. `left`: how long ago it ended. `conclusion`: of the second. */
async function post(id: number, seconds: number, left: number | null, conclusion = 'success'): Promise<void> {
  const [start, middle] = [seconds + (left ?? 0), (left ?? 0) + 30];
  const isOver = left !== null;
  const status = isOver ? { status: 'completed', conclusion: 'success' } : { status: 'in_progress' };
  const times = { created_at: ago(start), run_started_at: ago(start), updated_at: ago(left ?? 0) };
  const run = { id, run_number: id, name: 'CI', head_branch: 'main', display_title: `Change ${id}` };
  const send = (event: 'workflow_run' | 'workflow_job', payload: object) =>
    postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });
  await send('workflow_run', runPayload({ ...run, ...status, ...times }));
  const job = { run_id: id, workflow_name: 'CI', head_branch: 'main' };
  const build = { ...job, id: id * 10, name: 'build', status: 'completed', conclusion: 'success' };
  const built = { created_at: ago(start), started_at: ago(start), completed_at: ago(middle) };
  await send('workflow_job', jobPayload({ ...build, ...built }));
  const beganAt = ago(conclusion === 'skipped' ? (left ?? 0) : middle - 1);
  const began = { created_at: beganAt, started_at: beganAt };
  const check = {
    ...job,
    ...status,
    ...(isOver && { conclusion }),
    ...began,
    id: id * 10 + 1,
    name: 'check',
  };
  await send('workflow_job', jobPayload({ ...check, ...(left !== null && { completed_at: ago(left) }) }));
}

for (const id of [1, 2, 3]) await post(id, 120, 4000 - id * 1000);
await post(4, 200, 60);
await post(5, 60, null);
await post(6, 120, 10, 'skipped');
await waitUntil('the runs', async () => {
  const { body } = await team.viewer.call('GET', team.path('/workflows/6'));
  return ((body['jobs'] as unknown[] | undefined) ?? []).length === 2;
});

/** A header of the jobs sorts them, and a third press restores their order. */
async function sortsByHeader(page: Page): Promise<void> {
  const first = page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').first();
  const header = page.getByRole('button', { name: 'Job', exact: true });
  for (const name of ['build', 'check', 'build']) {
    await header.press('Enter');
    await first.getByText(name, { exact: true }).waitFor();
  }
}

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const) {
  test(`at ${width} pixels a run says without a click whether its duration is normal and which jobs decide it`, async () => {
    const { page, errors, go } = await openAs(product, team.viewer, { width, height });
    const inputs = await countInputs(page);
    await go(`/integrations/${team.integrationId}/runs/4`);
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('usually 2m 00s').waitFor();
    await summary.getByText('+1m 20s').waitFor();
    await page.getByText('Critical path').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'build' })
      .getByText('longer than usual')
      .waitFor({ state: 'attached' });
    assert.equal(await page.getByText('longer than usual').count(), 2, 'a normal job is quiet');
    assert.deepEqual(inputs, { clicks: 0, keys: 0 });
    if (width > 390) await sortsByHeader(page);
    assert.equal(await sidewaysScroll(page), 0);
    await isFineInBothThemes(page);
    await go(`/integrations/${team.integrationId}/runs/5`);
    await summary.getByText(/left|about to end|over/).waitFor();
    await go(`/integrations/${team.integrationId}/runs/6`);
    await page.getByRole('listitem').filter({ hasText: 'check' }).getByText('Skipped').waitFor();
    assert.equal(await page.getByText('than usual').count(), 0, 'a skipped job is normal');
    assert.deepEqual(errors, []);
  });
}
