import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import { startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, call, items, addRule, post } = await startAlertProgram();

const at = (secondsAgo: number): string => new Date(Date.now() - secondsAgo * 1000).toISOString();

interface Facts {
  id: number;
  defaultBranch: string;
  branch: string;
  conclusion: string;
  secondsAgo: number;
  workflow?: string;
}

function completedRun({ id, defaultBranch, branch, conclusion, secondsAgo, workflow = 'CI' }: Facts) {
  const repository = { id: 7, full_name: 'acme/site', default_branch: defaultBranch };
  return {
    action: 'completed',
    repository,
    workflow: { id: workflow.length, name: workflow, path: `.github/workflows/${workflow}.yml` },
    workflow_run: {
      id,
      run_attempt: 1,
      workflow_id: workflow.length,
      event: 'push',
      status: 'completed',
      conclusion,
      head_branch: branch,
      head_sha: 'a'.repeat(40),
      head_repository: repository,
      created_at: at(secondsAgo + 10),
      run_started_at: at(secondsAgo + 10),
      updated_at: at(secondsAgo),
    },
  };
}

test('another default branch closes what was open on the old one, and says why', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, {});
  const master = { defaultBranch: 'master', branch: 'master', conclusion: 'failure' };
  await post(integration, 'workflow_run', completedRun({ id: 1, secondsAgo: 300, ...master }));
  await post(
    integration,
    'workflow_run',
    completedRun({ id: 2, secondsAgo: 290, ...master, workflow: 'Nightly' }),
  );
  const open = () => items<Incident>(integration, 'incidents?status=open');
  await waitUntil('the incidents', async () => (await open()).length === 2);
  // Any event tells of the new default branch.
  const topic = { defaultBranch: 'main', branch: 'topic', conclusion: 'success' };
  await post(integration, 'workflow_run', completedRun({ id: 3, secondsAgo: 100, ...topic }));
  await waitUntil('the incidents to close', async () => (await open()).length === 0);
  const closed = await items<Incident>(integration, 'incidents?status=closed');
  assert.deepEqual(
    closed.map(({ closeReason }) => closeReason),
    ['default_branch_changed', 'default_branch_changed'],
  );
  const titles = (await items<{ title: string }>(integration, 'event-log')).map(({ title }) => title);
  assert.ok(titles.includes('The default branch of acme/site is now main instead of master'));
  assert.ok(
    titles.some((title) => /was closed because another branch became the default branch/.test(title)),
  );
  const wall = async () => ((await (await call(integration, 'GET', 'wallboard')).json()) as Wall).tiles;
  assert.deepEqual(await wall(), []);
  const xml = await (await call(integration, 'GET', 'cctray.xml')).text();
  assert.doesNotMatch(xml, /Failure/);
  const overview = (await (await call(integration, 'GET', 'overview')).json()) as {
    needsAttention: unknown[];
  };
  assert.deepEqual(overview.needsAttention, []);
  // A late event of before does not bring the old one back.
  await post(integration, 'workflow_run', completedRun({ id: 4, secondsAgo: 200, ...master }));
  const main = { defaultBranch: 'main', branch: 'main', conclusion: 'success' };
  await post(integration, 'workflow_run', completedRun({ id: 5, secondsAgo: 50, ...main }));
  await waitUntil('the tile', async () => (await wall()).length === 1);
  assert.deepEqual(
    (await wall()).map(({ workflow, state }) => `${workflow} ${state}`),
    ['CI passed'],
  );
});
