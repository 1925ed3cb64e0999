import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { PullRequestDetail } from '#contract/runs/pull-requests.ts';
import { newRepository, type ForgeRepositoryState } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { failedJob, pull, run } from '#test/support/data/pull-request-events.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { isRequired, requiredChecks } from './required-states.ts';

const linked = await startLinkedProduct();
const check = Compile(PullRequestDetail);

async function teamWith(name: string, over: Partial<ForgeRepositoryState>) {
  const repository = newRepository(`octo-org/${name}`, over);
  const team = await linked.newLinkedTeam([repository]);
  await team.provisioned();
  const place = { id: repository.id, full_name: repository.name, default_branch: 'main' };
  const send = (event: string, payload: object) =>
    postWebhook(linked.product.baseUrl, team, { event, payload: { ...payload, repository: place } });
  const calls = () =>
    linked.forge.calls.filter((call) => call.includes(`/${name}/rules/branches/main`)).length;
  const detail = async (): Promise<PullRequestDetail> => {
    const { body } = await team.viewer.call('GET', team.path('/pull-requests/12'));
    assert.ok(check.Check(body), JSON.stringify(body));
    return body;
  };
  /** A run of the pull request with the job `test`. */
  const runEnds = async (id: number, conclusion: string) => {
    await send('workflow_job', failedJob({ runId: id, step: 'Run npm test', conclusion }));
    await send('workflow_run', { ...run({ id, conclusion, numbers: [12] }) });
  };
  await send('pull_request', pull({ number: 12, repository: repository.name }));
  await runEnds(1, 'failure');
  const untilRead = (state: string) =>
    waitUntil(`required checks that are ${state}`, async () => {
      const { status } = await team.viewer.call('GET', team.path('/pull-requests/12'));
      if (status !== 200) return undefined;
      const found = await detail();
      return found.requiredChecks.state === state && found.commits[0]?.checks[0]?.jobs[0] ? found : undefined;
    });
  return { team, repository, runEnds, calls, detail, untilRead };
}

test('checks that rulesets and protection require are read after a run of a pull request, and again after an hour', async () => {
  const { team, repository, runEnds, calls, detail, untilRead } = await teamWith('required', {
    rules: ['test', 'licence'],
    protection: ['test', 'deploy / preview'],
  });
  const { requiredChecks: required, commits } = await untilRead('known');
  assert.deepEqual(required.checks, [
    { name: 'test', state: 'failed' },
    { name: 'licence', state: 'missing' },
    { name: 'deploy / preview', state: 'missing' },
  ]);
  assert.equal(commits[0]?.checks[0]?.jobs[0]?.isRequired, true);
  assert.equal(calls(), 1);
  repository.rules = ['licence'];
  repository.protection = [];
  await runEnds(2, 'success');
  await waitUntil('the second run', async () => (await detail()).commits[0]?.checks.length === 2);
  assert.equal(calls(), 1, 'they were read a moment ago');
  assert.equal((await detail()).requiredChecks.checks[0]?.state, 'passed');
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  await updateRows(
    linked.product.database,
    'required_checks',
    { requested_at: longAgo },
    { integration_id: team.integrationId },
  );
  await runEnds(3, 'success');
  await waitUntil('the new checks', async () => (await detail()).requiredChecks.checks.length === 1);
  assert.equal((await detail()).commits[0]?.checks[0]?.jobs[0]?.isRequired, false);
});

test('required checks that the forge refuses to name are not known', async () => {
  const { untilRead } = await teamWith('refused', { rules: undefined });
  const { requiredChecks: required, commits } = await untilRead('unreadable');
  assert.deepEqual([required.checks, commits[0]?.checks[0]?.jobs[0]?.isRequired], [[], false]);
});

test('without a connection to the forge required checks are not known', async () => {
  const team = await linked.product.newTeam();
  await postWebhook(linked.product.baseUrl, team, { event: 'pull_request', payload: pull({ number: 12 }) });
  const state = await waitUntil('the pull request', async () => {
    const { status, body } = await team.viewer.call('GET', team.path('/pull-requests/12'));
    return status === 200 && (body['requiredChecks'] as { state: string }).state;
  });
  assert.equal(state, 'no_connection');
});

test('patterns of Gitea match workflow, job and event, and all jobs of a check must pass', () => {
  const of = (checks: string[]) => ({ checks, arePatterns: true, isConnected: true, isRead: true });
  const job = (name: string, conclusion: string | null) => ({
    workflow: 'CI',
    event: 'pull_request',
    name,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
  });
  assert.equal(isRequired(of(['CI / test (pull_request)']), job('test', null)), true);
  assert.equal(isRequired(of(['CI / *']), job('test', null)), true);
  assert.equal(isRequired(of(['CI / test (push)', 'test']), job('test', null)), false);
  assert.equal(isRequired({ ...of(['CI / *']), arePatterns: false }, job('test', null)), false);
  const stateOf = (...jobs: ReturnType<typeof job>[]) =>
    requiredChecks(of(['CI / *']), jobs).checks[0]?.state;
  assert.deepEqual(
    [
      stateOf(),
      stateOf(job('a', 'success'), job('b', 'skipped')),
      stateOf(job('a', 'success'), job('b', null)),
      stateOf(job('a', null), job('b', 'cancelled')),
    ],
    ['missing', 'passed', 'running', 'failed'],
  );
});
