import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRepository, newRun, type ForgeRun } from '#test/support/forge/forge-repositories.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { recordLogEntry } from './add-entry.ts';
import { forgetEntries } from './record-failed-runs.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const repository = newRepository('octo-org/octo-repo');

const failing = (over: Record<string, unknown> = {}) =>
  newRun(repository, new Date('2026-11-20T10:00:00Z'), { conclusion: 'failure', run_number: 7, ...over });

async function tell(
  team: Team,
  run: ForgeRun,
  over: Record<string, unknown> = {},
  name = repository.name,
): Promise<void> {
  const payload = {
    action: 'completed',
    workflow_run: { ...run.attempts.at(-1), name: 'CI', ...over },
    repository: { id: repository.id, full_name: name, default_branch: 'main' },
  };
  const { status } = await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  assert.equal(status, 200);
}

const failedRuns = async (team: Team) => {
  const { body } = await team.viewer.call('GET', team.path('/event-log?type=run'));
  return body.items.map(({ title, severity, details }) => ({ title, severity, ...(details as object) }));
};

test('a failed run is logged once for each attempt', async () => {
  const team = await product.newTeam();
  const run = failing();
  await tell(team, run);
  await tell(team, run, { updated_at: '2026-11-20T11:00:00Z' });
  await tell(team, failing({ conclusion: 'success' }));
  await tell(team, failing({ conclusion: 'timed_out', run_number: 8, head_branch: null }));
  await tell(team, run, { run_attempt: 2, updated_at: '2026-11-20T12:00:00Z' });
  const entries = await waitUntil('three entries', async () => {
    const found = await failedRuns(team);
    return found.length >= 3 && found;
  });
  assert.deepEqual(
    entries.map(({ title }) => title),
    [
      'CI #7 failed on main in octo-org/octo-repo, attempt 2',
      'CI #8 timed out in octo-org/octo-repo',
      'CI #7 failed on main in octo-org/octo-repo',
    ],
  );
  assert.deepEqual(entries[0], {
    title: 'CI #7 failed on main in octo-org/octo-repo, attempt 2',
    severity: 'error',
    runId: run.id,
    attempt: 2,
    repository: 'octo-org/octo-repo',
    workflow: 'CI',
    branch: 'main',
    conclusion: 'failure',
  });
});

test('a failure that arrives after a later attempt is logged once', async () => {
  const team = await product.newTeam();
  const run = failing();
  await tell(team, run, { run_attempt: 2, conclusion: 'success', updated_at: '2026-11-20T12:00:00Z' });
  await tell(team, run);
  await tell(team, run);
  await tell(team, failing({ run_number: 9 }));
  const entries = await waitUntil('the last entry', async () => {
    const found = await failedRuns(team);
    return found.some(({ title }) => String(title).includes('#9')) && found;
  });
  assert.deepEqual(
    entries.map(({ title }) => title),
    ['CI #9 failed on main in octo-org/octo-repo', 'CI #7 failed on main in octo-org/octo-repo'],
  );
});

test('a failed run of a fork names its owner, and one of a merge queue its pull request', async () => {
  const team = await product.newTeam();
  const sha = 'a'.repeat(40);
  const ofFork = { head_repository: { id: 9, full_name: 'eve/octo-repo' } };
  await tell(team, failing({ run_number: 1, head_branch: 'main', ...ofFork }));
  await tell(team, failing({ run_number: 2, head_branch: `gh-readonly-queue/main/pr-12-${sha}` }));
  const renamed = 'new-org/new-repo';
  const ofRenamed = { head_repository: { id: repository.id, full_name: renamed } };
  await tell(team, failing({ run_number: 3, updated_at: '2026-11-20T12:00:00Z', ...ofRenamed }), {}, renamed);
  const entries = await waitUntil('three entries', async () => {
    const found = await failedRuns(team);
    return found.length >= 3 && (found as { title: string; branch?: string }[]);
  });
  assert.deepEqual(
    entries.map(({ title }) => title.replace(/ in .*/, '')),
    ['CI #3 failed on main', 'CI #2 failed on merge queue of #12 into main', 'CI #1 failed on eve:main'],
  );
  assert.equal(entries[2]?.branch, 'eve:main');
});

test('failures are forgotten after the retention, the rest of the service after a year, and what people did is kept', async () => {
  const team = await product.newTeam();
  await team.admin.call('PATCH', team.path(''), { label: 'Another name' });
  await tell(team, failing());
  await waitUntil('an entry', async () => (await failedRuns(team)).length === 1);
  const { worker } = product.database;
  const { integrationId } = team;
  const forget = (now: number) =>
    worker.withScope({ integrationId }, (tx) => forgetEntries(tx, integrationId, now, 90));
  assert.equal(await forget(Date.now() + 89 * 86_400_000), 0);
  assert.equal(await forget(Date.now() + 91 * 86_400_000), 1);
  assert.deepEqual(await failedRuns(team), []);
  const warning = { type: 'failure.groups_removed', severity: 'warning', title: 'Too many' } as const;
  await recordLogEntry(worker, { ...warning, integrationId, actorId: null, details: {} });
  assert.equal(await forget(Date.now() + 364 * 86_400_000), 0);
  assert.ok((await forget(Date.now() + 366 * 86_400_000)) > 0);
  const kept = (await product.entries(integrationId)).map(({ type }) => type);
  assert.ok(kept.includes('integration.renamed') && !kept.includes('failure.groups_removed'));
});
