import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { escapeTo, hasFocus, openAs } from '#test/support/browser/page-session.ts';
import { at } from '#test/support/browser/run-list.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

async function post(team: Team, event: 'workflow_run' | 'workflow_job', payload: object): Promise<void> {
  const { status } = await postWebhook(product.baseUrl, team, { event, payload });
  assert.equal(status, 200);
}

const run = (id: number, more: object) =>
  runPayload({ id, display_title: `Run ${id}`, head_branch: 'main', created_at: at(id), ...more });
const job = (id: number, attempt: number, more: object) =>
  jobPayload({ id, run_id: 2, run_attempt: attempt, name: `job ${id}`, created_at: at(10), ...more });

/** Three runs. The second one failed and runs again. */
async function teamWithRerun(): Promise<Team> {
  const team = await product.newTeam();
  for (const id of [1, 2, 3])
    await post(
      team,
      'workflow_run',
      run(id, { status: 'completed', conclusion: 'failure', updated_at: at(90) }),
    );
  const failed = { status: 'completed', conclusion: 'failure', started_at: at(20), completed_at: at(85) };
  await post(team, 'workflow_job', job(11, 1, failed));
  const begun = { status: 'in_progress', started_at: at(100) };
  await post(team, 'workflow_run', run(2, { ...begun, run_attempt: 2, updated_at: at(100) }));
  await post(team, 'workflow_job', job(12, 2, begun));
  return team;
}

test('a run opens from the list by keyboard, updates live and returns to its row', async () => {
  const team = await teamWithRerun();
  const { page, errors, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs?branch=main`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Run 3' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const row = page.getByRole('link', { name: 'Run 2' });
  await hasFocus(row);
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { name: 'Run 2', level: 1 });
  await hasFocus(heading);

  const running = page.getByRole('button', { name: /job 12.*Running/ });
  await running.waitFor();
  await post(
    team,
    'workflow_job',
    job(12, 2, {
      status: 'completed',
      conclusion: 'success',
      started_at: at(100),
      completed_at: at(130),
    }),
  );
  await page.getByRole('button', { name: /job 12.*Passed/ }).waitFor();
  await page.getByRole('heading', { name: 'Jobs 1 · 1 runner minute' }).waitFor();

  await page.getByRole('button', { name: /^Attempt 1/ }).press('Enter');
  await page.waitForURL(/runs\/2\?attempt=1$/);
  await page.getByRole('heading', { name: 'Jobs 1 · 2 runner minutes' }).waitFor();
  await page.getByRole('button', { name: /job 11.*Failed/ }).press('Enter');
  await page.waitForURL(/attempt=1&job=11$/);
  await page.getByText('No steps were reported.').waitFor();
  await escapeTo(row);
  assert.match(page.url(), /runs\?branch=main$/);
  assert.deepEqual(errors, []);
});

test('a link opens the named attempt and job, and going back returns to the list', async () => {
  const team = await teamWithRerun();
  const { page, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs/2?attempt=1&job=11`);
  await page.getByText('No steps were reported.').waitFor();
  await page.getByRole('link', { name: 'Back to workflow runs' }).press('Enter');
  await page.getByRole('link', { name: 'Run 3' }).waitFor();
});

test('a Ctrl click opens a run in another tab and keeps the list', async () => {
  const team = await teamWithRerun();
  const { page, go } = await openAs(product, team.viewer);
  await go(`/integrations/${team.integrationId}/runs`);
  // The rows are in place once the list is live.
  await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
  await page.getByRole('link', { name: 'Run 2' }).click({ modifiers: ['ControlOrMeta'] });
  // Playwright sometimes does not announce a tab that its test did not open, so the browser itself tells its tabs.
  const browser = await page.context().browser()!.newBrowserCDPSession();
  await waitUntil('the other tab', async () => {
    const { targetInfos } = await browser.send('Target.getTargets');
    return targetInfos.some(({ type, url }) => type === 'page' && url.endsWith('/runs/2'));
  });
  assert.match(page.url(), /\/runs$/);
  await page.getByRole('link', { name: 'Run 3' }).waitFor();
});
