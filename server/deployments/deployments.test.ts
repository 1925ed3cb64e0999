import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import type { Deployments, DeploymentSourcePage } from '#contract/metrics/deployments.ts';
import { Health } from '#contract/metrics/health.ts';
import {
  deploymentPayload,
  jobPayload,
  pullRequestPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { recordPayload } from '#test/support/data/record-payload.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import type { Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const linked = await startLinkedProduct();
const { product } = linked;
const checkHealth = Compile(Health);
const sha = (digit: string): string => digit.repeat(40);
const hourMs = 3_600_000;
const now = Date.now();
const hoursAgo = (hours: number): string => new Date(now - hours * hourMs).toISOString();

async function healthOf(team: Team, query = ''): Promise<Health> {
  const { status, body } = await team.viewer.call('GET', team.path(`/health${query}`));
  assert.equal(status, 200, JSON.stringify(body));
  assert.ok(checkHealth.Check(body), JSON.stringify([...checkHealth.Errors(body)]));
  return body;
}

async function deploymentsOf(team: Team, query = ''): Promise<Deployments> {
  const { deployments } = await healthOf(team, query);
  assert.ok(deployments !== null);
  return deployments;
}

const declare = (team: Team, body: Record<string, unknown>, by = team.admin) =>
  by.call('POST', team.path('/deployment-sources'), body);
const mark = (team: Team, key: string, hasFailed: boolean, by = team.member) =>
  by.call('PUT', team.path(`/deployments/${key}/mark`), { hasFailed });

let ids = 0;
/** Stores a deployment that ended so many hours ago. Returns its key. */
async function deploy(
  team: Team,
  commit: string,
  hours: number,
  { state = 'success', repository, ...deployment }: Record<string, unknown> = {},
): Promise<string> {
  ids += 1;
  const status = { id: ids, state, created_at: hoursAgo(hours), updated_at: hoursAgo(hours) };
  const payload = deploymentPayload(
    status,
    { id: ids, sha: sha(commit), ...deployment },
    repository === undefined ? {} : { repository },
  );
  await recordPayload(product.database, team.integrationId, 'deployment_status', payload);
  return `deployment-${ids}`;
}

/** What became of each deployment, oldest first. */
const outcomes = ({ items }: Deployments): [string, string | null][] =>
  items
    .map((each): [string, string | null] => [
      each.sha.slice(0, 1),
      each.isDeployed ? (each.failure?.rule ?? null) : 'not deployed',
    ])
    .toReversed();

test('nothing counts until an admin declares production, and then also what happened before', async () => {
  const team = await product.newTeam();
  await deploy(team, 'a', 9);
  await deploy(team, 'b', 8, { environment: 'preview' });
  assert.equal((await healthOf(team)).deployments, null);
  const { body } = await team.viewer.call('GET', team.path('/deployment-sources'));
  assert.deepEqual(
    (body as unknown as DeploymentSourcePage).environments.map(({ environment, deployments }) => [
      environment,
      deployments,
    ]),
    [
      ['preview', 1],
      ['production', 1],
    ],
  );
  assert.deepEqual(body.items, []);
  assert.equal((await declare(team, { environment: 'production' })).status, 201);
  const found = await deploymentsOf(team);
  assert.deepEqual(outcomes(found), [['a', null]]);
  assert.deepEqual([found.deployed, found.failed, found.notDeployed, found.perWeek], [1, 0, 0, null]);
});

test('a declared place without any deployment has no number, and a range without one has 0', async () => {
  const team = await product.newTeam();
  await declare(team, { environment: 'production' });
  assert.equal((await deploymentsOf(team)).deployed, null);
  await deploy(team, 'a', 24 * 20);
  assert.equal((await deploymentsOf(team, `?from=${hoursAgo(24 * 5)}`)).deployed, 0);
  assert.equal((await deploymentsOf(team, `?to=${hoursAgo(24 * 25)}`)).deployed, null);
});

test('a rollback says that what it replaced failed, until a member says otherwise', async () => {
  const team = await product.newTeam();
  await declare(team, { environment: 'production' });
  await deploy(team, 'a', 10);
  const failed = await deploy(team, 'b', 8);
  await deploy(team, 'c', 7, { state: 'failure' });
  const again = await deploy(team, 'a', 6);
  // A re-run of the same commit.
  await deploy(team, 'a', 5);
  const found = await deploymentsOf(team);
  assert.deepEqual(outcomes(found), [
    ['a', null],
    ['b', 'rollback'],
    ['c', 'not deployed'],
    ['a', null],
  ]);
  assert.deepEqual([found.deployed, found.failed, found.notDeployed, found.count], [3, 1, 1, 4]);
  assert.deepEqual(found.recoveries, { count: 1, p50: 2 * hourMs, p90: null });
  assert.equal(found.items.find(({ key }) => key === failed)?.failure?.by, again);
  assert.deepEqual(
    found.items.map(({ isRollback }) => isRollback),
    [true, false, false, false],
  );

  assert.equal((await mark(team, failed, false, team.viewer)).status, 403);
  assert.equal((await mark(team, failed, false)).status, 204);
  assert.equal((await mark(team, again, true)).status, 204);
  const judged = await deploymentsOf(team);
  assert.deepEqual(outcomes(judged), [
    ['a', null],
    ['b', null],
    ['c', 'not deployed'],
    ['a', 'person'],
  ]);
  const marked = judged.items.find(({ key }) => key === failed)?.mark;
  assert.deepEqual([marked?.hasFailed, marked?.by?.userId], [false, team.member.userId]);
  // Nothing followed yet.
  assert.equal(judged.recoveries.count, 0);
  const path = team.path(`/deployments/${failed}/mark`);
  assert.equal((await team.member.call('DELETE', path)).status, 204);
  assert.equal((await team.member.call('DELETE', path)).status, 404);
  assert.equal((await deploymentsOf(team)).failed, 2);
  assert.equal((await mark(team, 'deployment-999999', true)).status, 404);
  assert.equal((await mark(team, 'x-1', true)).status, 400);
  const log = await team.viewer.call('GET', team.path('/event-log?type=deployment'));
  assert.deepEqual(
    log.body.items.map(({ title }) => title),
    [
      'The deployment of bbbbbbb of acme/site is judged by the rules again',
      'The deployment of aaaaaaa of acme/site was marked as failed',
      'The deployment of bbbbbbb of acme/site was marked as not failed',
    ],
  );
});

test('only an admin declares, and the event log says what', async () => {
  const team = await product.newTeam();
  assert.equal((await declare(team, { environment: 'production' }, team.member)).status, 403);
  for (const body of [
    {},
    { environment: '' },
    { repository: 'acme/site' },
    { workflow: 'CI' },
    { environment: 'production', job: 'deploy' },
    { environment: 'production', repository: 'acme/site', workflow: 'CI' },
  ])
    assert.equal((await declare(team, body)).status, 400, JSON.stringify(body));
  assert.equal((await declare(team, { repository: 'acme/site', workflow: 'Deploy' })).status, 404);
  const first = await declare(team, { environment: 'production' });
  const again = await declare(team, { environment: 'production' });
  assert.equal(again.body['sourceId'], first.body['sourceId']);
  const one = team.path(`/deployment-sources/${String(first.body['sourceId'])}`);
  assert.equal((await team.member.call('DELETE', one)).status, 403);
  assert.equal((await team.admin.call('DELETE', one)).status, 204);
  assert.equal((await team.admin.call('DELETE', one)).status, 404);
  assert.equal((await healthOf(team)).deployments, null);
  const log = await team.viewer.call('GET', team.path('/event-log?type=integration.deployments_declared'));
  assert.deepEqual(
    log.body.items.map(({ title }) => title),
    [
      'The environment “production” no longer counts as production',
      'The environment “production” counts as production',
    ],
  );
});

test('attempts of a declared workflow on the default branch deploy, or those of its job', async () => {
  const team = await product.newTeam();
  const { integrationId } = team;
  const record = (type: 'workflow_run' | 'workflow_job', payload: object) =>
    recordPayload(product.database, integrationId, type, payload);
  const run = (id: number, commit: string, hours: number, conclusion: string, more: object = {}) =>
    record(
      'workflow_run',
      runPayload({
        id,
        name: 'Deploy',
        status: 'completed',
        conclusion,
        head_branch: 'main',
        head_sha: sha(commit),
        created_at: hoursAgo(hours),
        run_started_at: hoursAgo(hours),
        updated_at: hoursAgo(hours),
        ...more,
      }),
    );
  await run(1, 'a', 9, 'success');
  await run(2, 'b', 8, 'failure');
  await run(2, 'b', 7, 'success', { run_attempt: 2, created_at: hoursAgo(8) });
  await run(3, 'c', 6, 'success', { head_branch: 'topic' });
  await run(4, 'd', 5, 'action_required');
  await run(5, 'e', 4, 'success');
  const job = {
    run_id: 5,
    head_branch: 'main',
    head_sha: sha('e'),
    status: 'completed',
    completed_at: hoursAgo(4),
  };
  await record('workflow_job', jobPayload({ ...job, id: 51, name: 'production', conclusion: 'failure' }));
  await record('workflow_job', jobPayload({ ...job, id: 52, name: 'build', conclusion: 'success' }));
  const whole = await declare(team, { repository: 'acme/site', workflow: 'Deploy' });
  assert.equal(whole.status, 201);
  const found = await deploymentsOf(team);
  assert.deepEqual(outcomes(found), [
    ['a', null],
    ['b', 'not deployed'],
    ['b', null],
    ['e', null],
  ]);
  const [, second] = found.items;
  assert.deepEqual(
    [second?.key, second?.runId, second?.attempt, second?.workflow],
    ['run-2-2', 2, 2, 'Deploy'],
  );
  assert.equal((await mark(team, 'run-2-2', true)).status, 204);
  assert.equal((await deploymentsOf(team)).failed, 1);

  await team.admin.call('DELETE', team.path(`/deployment-sources/${String(whole.body['sourceId'])}`));
  await declare(team, { repository: 'acme/site', workflow: 'Deploy', job: 'production' });
  const ofJob = await deploymentsOf(team);
  assert.deepEqual(outcomes(ofJob), [['e', 'not deployed']]);
  assert.equal(ofJob.items[0]?.key, 'job-5-51');
  assert.equal((await mark(team, 'job-5-51', true)).status, 204);
});

test('a repository or a branch alone has its own deployments, and ten have a rate', async () => {
  const team = await product.newTeam();
  await declare(team, { environment: 'production' });
  const other = { id: 99, full_name: 'acme/api', default_branch: 'main' };
  for (const [index, commit] of [...'0123456789'].entries())
    await deploy(team, commit, 24 * 7 - index, { ref: index === 0 ? 'release' : 'main' });
  await deploy(team, 'f', 3, { repository: other });
  assert.equal((await deploymentsOf(team)).deployed, 11);
  const site = await deploymentsOf(team, '?repository=acme/site');
  assert.equal(site.deployed, 10);
  // They are known for a week.
  assert.ok(site.perWeek !== null && Math.abs(site.perWeek - 10) < 0.1, String(site.perWeek));
  assert.ok(site.since !== null);
  const api = await deploymentsOf(team, '?repository=acme/api');
  assert.deepEqual([api.deployed, api.perWeek], [1, null]);
  assert.equal((await deploymentsOf(team, '?branch=release')).deployed, 1);
});

const commit = (digit: string, parent: string, message: string) => ({
  sha: sha(digit),
  message,
  author: 'ann',
  at: '2026-11-20T12:00:00Z',
  files: ['src/a.ts'],
  parents: parent === '' ? [] : [sha(parent)],
});

test('the commits between two deployments say which pull requests were deployed when, and what was reverted', async () => {
  const repository = newRepository('octo-org/shop', {
    commits: [
      commit('a', '', 'Begin'),
      commit('b', 'a', 'Cache prices (#1)'),
      commit('c', 'b', 'Explain'),
      commit('d', 'c', 'Revert "Cache prices" (#2)'),
    ],
  });
  const team = await linked.newLinkedTeam([repository]);
  await team.provisioned();
  await declare(team, { environment: 'production' });
  const of = { id: repository.id, full_name: repository.name, default_branch: 'main' };
  const merged = (number: number, title: string, commitOfMerge: string, hours: number) =>
    recordPayload(
      product.database,
      team.integrationId,
      'pull_request',
      pullRequestPayload(
        {
          number,
          title,
          state: 'closed',
          merged: true,
          merged_at: hoursAgo(hours),
          updated_at: hoursAgo(hours),
          merge_commit_sha: sha(commitOfMerge),
          base: { ref: 'main' },
        },
        { number, repository: of },
      ),
    );
  await merged(1, 'Cache prices', 'b', 20);
  await merged(2, 'Revert "Cache prices"', 'd', 9);
  await deploy(team, 'a', 30, { repository: of });
  const reverted = await deploy(team, 'c', 10, { repository: of });
  await deploy(team, 'd', 8, { repository: of });
  const first = await deploymentsOf(team);
  assert.deepEqual(
    first.items.map(({ contents }) => contents),
    ['reading', 'reading', 'first'],
  );
  assert.deepEqual([first.unknown, first.leadTime.count], [3, 0]);
  const read = await waitUntil('the commits to be read', async () => {
    const found = await deploymentsOf(team);
    return found.unknown === 1 ? found : undefined;
  });
  assert.deepEqual(
    read.pullRequests.map(({ number, leadTimeMs }) => [number, leadTimeMs]),
    [
      [2, hourMs],
      [1, 10 * hourMs],
    ],
  );
  assert.deepEqual(read.leadTime, { count: 2, p50: hourMs, p90: null });
  assert.deepEqual(outcomes(read), [
    ['a', null],
    ['c', 'revert'],
    ['d', null],
  ]);
  assert.equal(read.items.find(({ key }) => key === reverted)?.failure?.pullRequest, 2);
  assert.deepEqual(
    read.items.map(({ pullRequests }) => pullRequests),
    [1, 1, null],
  );
  const calls = linked.forge.calls.filter((call) => call.includes('/octo-org/shop/'));
  assert.equal(calls.filter((call) => call.includes('/compare/')).length, 2, 'each range is read once');
  assert.ok(!calls.some((call) => call.includes('/commits/')), 'no files are read');
});

test('a rollback to a commit that was never deployed is known once the forge has compared it', async () => {
  const commits = [commit('a', '', 'Begin'), commit('b', 'a', 'Cache prices'), commit('c', 'b', 'Explain')];
  const repository = newRepository('octo-org/till', { commits });
  const team = await linked.newLinkedTeam([repository]);
  await team.provisioned();
  await declare(team, { environment: 'production' });
  const of = { id: repository.id, full_name: repository.name, default_branch: 'main' };
  for (const [index, digit] of ['b', 'a', 'b', 'c'].entries())
    await deploy(team, digit, 10 - index, { repository: of });
  const read = await waitUntil('the commits to be read', async () => {
    const found = await deploymentsOf(team);
    return found.unknown === 1 ? found : undefined;
  });
  assert.deepEqual(outcomes(read), [
    ['b', 'rollback'],
    ['a', null],
    ['b', null],
    ['c', null],
  ]);
  assert.deepEqual(
    read.items.map(({ isRollback, pullRequests }) => [isRollback, pullRequests]),
    [
      [false, 0],
      [false, 0],
      [true, 0],
      [false, null],
    ],
  );
});

test('without a connection to the forge the pull requests are not known, and the row says why', async () => {
  const team = await product.newTeam();
  await declare(team, { environment: 'production' });
  await deploy(team, 'a', 9);
  await deploy(team, 'b', 8);
  const { items, unknown, leadTime } = await deploymentsOf(team);
  assert.deepEqual(
    items.map(({ contents, pullRequests }) => [contents, pullRequests]),
    [
      ['no_connection', null],
      ['first', null],
    ],
  );
  assert.deepEqual([unknown, leadTime.p50], [2, null]);
});

test('a renamed repository keeps its deployments, and they are shown under its new name', async () => {
  const team = await product.newTeam();
  await deploy(team, 'a', 9);
  await deploy(team, 'b', 8);
  await deploy(team, 'a', 7, { repository: { id: 7, full_name: 'acme/shop', default_branch: 'main' } });
  await declare(team, { environment: 'production' });
  const found = await deploymentsOf(team);
  assert.deepEqual(outcomes(found), [
    ['a', null],
    ['b', 'rollback'],
    ['a', null],
  ]);
  assert.deepEqual(new Set(found.items.map(({ repository }) => repository)), new Set(['acme/shop']));
  assert.equal((await deploymentsOf(team, '?repository=acme/shop')).deployed, 3);
});
