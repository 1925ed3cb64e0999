import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkedInstallation } from '#contract/forge-app.ts';
import { forgeAppEnv, startForgeApi } from '#test/support/forge-api-server.ts';
import {
  newPullRequest,
  newRepository,
  newRun,
  type ForgeRepositoryState,
} from '#test/support/forge-repositories.ts';
import { postWebhook } from '#test/support/post-webhook.ts';
import { ruleBody } from '#test/support/rule-body.ts';
import { startTeamProduct } from '#test/support/team.ts';
import { waitUntil } from '#test/support/wait-until.ts';

const forge = await startForgeApi();
const product = await startTeamProduct({ ...forgeAppEnv(forge), API_REQUESTS_PER_MINUTE: '1000000' }, [
  'api',
  'worker',
]);
const { database, baseUrl, publicUrl } = product;

const boss = { id: 1, login: 'owner' };
forge.members = [boss];
forge.admins.add(boss.id);
let installationIds = 500;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

/** A team whose owner has linked an installation that sees these repositories. */
async function newLinkedTeam(repositories: ForgeRepositoryState[], { linkNow = true } = {}) {
  const installationId = ++installationIds;
  const team = await product.newTeam(`Linked ${installationId}`);
  await database.asOwner(`update users set forge_id = ${boss.id} where user_id = '${team.owner.userId}'`);
  forge.installations.set(installationId, { ...forge.organization, type: 'Organization' });
  forge.repositories.set(installationId, repositories);
  const link = async () => {
    const setup = await team.owner.call('POST', team.path('/forge-app/setup'));
    const { status } = await team.owner.call('POST', team.path('/forge-app'), {
      installationId,
      proof: setup.body['proof'],
    });
    assert.equal(status, 201);
  };
  if (linkNow) await link();
  const state = async () => {
    const { body } = await team.viewer.call('GET', team.path('/forge-app'));
    return (body['installations'] as LinkedInstallation[])[0]!;
  };
  const provisioned = () => waitUntil('hooks', async () => (await state()).hooks.state === 'done');
  const runs = async () => {
    const { body } = await team.viewer.call('GET', team.path('/workflows?limit=100'));
    return body.items as { runId: number; status: string; conclusion: string | null; attempt: number }[];
  };
  const post = (payload: object, webhookSecret = team.webhookSecret) =>
    postWebhook(baseUrl, { ...team, webhookSecret }, { event: 'workflow_run', payload });
  return { ...team, installationId, link, state, provisioned, runs, post };
}

const hooksOf = (repositories: ForgeRepositoryState[]) =>
  repositories.map(({ hooks }) => hooks.map(({ active, events, config }) => ({ active, events, ...config })));

test('each repository gets one hook with the address, events and secret, and follows when they change', async () => {
  const repositories = [newRepository('octo-org/one'), newRepository('octo-org/two')];
  const team = await newLinkedTeam([...repositories, newRepository('octo-org/old', { isArchived: true })]);
  await team.provisioned();
  const url = `${publicUrl}/api/import/${team.integrationId}`;
  const events = ['workflow_run', 'workflow_job', 'pull_request', 'pull_request_review'];
  const hook = { active: true, events, url, secret: team.webhookSecret, content_type: 'json' };
  assert.deepEqual(hooksOf(repositories), [[hook], [hook]]);
  assert.deepEqual((await team.state()).hooks, {
    state: 'done',
    repositories: 2,
    provisioned: 2,
    error: null,
  });

  await team.admin.call('PUT', team.path('/webhook-events'), { events: ['workflow_run'] });
  const following = { ...hook, events: ['workflow_run'] };
  await waitUntil('fewer events', () => repositories.every(({ hooks }) => hooks[0]?.events.length === 1));
  assert.deepEqual(hooksOf(repositories), [[following], [following]]);

  await team.admin.call('PUT', team.path('/webhook-events'), { events: [] });
  await waitUntil('silent hooks', () => repositories.every(({ hooks }) => hooks[0]?.active === false));
  await team.admin.call('PUT', team.path('/webhook-events'), { events: ['workflow_run'] });

  const rotated = await team.admin.call('POST', team.path('/rotate-secret'), { graceHours: 1 });
  await waitUntil('the new secret', () =>
    repositories.every(({ hooks }) => hooks[0]?.config.secret === rotated.body['webhookSecret']),
  );
  const answer = await team.post({ zen: 'no run' }, repositories[0]!.hooks[0]!.config.secret);
  assert.equal(answer.status, 200);
});

test('a repository that is added gets its hook when the installation is read again', async () => {
  const repositories = [newRepository('octo-org/first')];
  const team = await newLinkedTeam(repositories);
  await team.provisioned();
  repositories.push(newRepository('octo-org/second'));
  await team.admin.call('POST', team.path(`/forge-app/${team.installationId}/sync`));
  await waitUntil('a hook', () => repositories[1]?.hooks.length === 1);
});

test('a hook made by hand is taken over, one taken away at the forge is made again', async () => {
  const repository = newRepository('octo-org/mine');
  const team = await newLinkedTeam([repository], { linkNow: false });
  const url = `${publicUrl}/api/import/${team.integrationId}`;
  repository.hooks.push({
    id: 5,
    active: false,
    events: ['push'],
    config: { url, secret: 'x', content_type: 'form' },
  });
  await team.link();
  await team.provisioned();
  assert.deepEqual(
    repository.hooks.map(({ id, active, config }) => ({ id, active, secret: config.secret })),
    [{ id: 5, active: true, secret: team.webhookSecret }],
  );
  repository.hooks = [];
  await team.admin.call('PUT', team.path('/webhook-events'), { events: ['workflow_run'] });
  await waitUntil('another hook', () => repository.hooks.length === 1);
});

test('a repository that refuses is told of and holds up no other', async () => {
  const repositories = [newRepository('octo-org/aaa', { refusesHooks: 403 }), newRepository('octo-org/bbb')];
  const team = await newLinkedTeam(repositories);
  await waitUntil('a refusal', async () => (await team.state()).hooks.state === 'failed');
  await waitUntil('the other hook', async () => (await team.state()).hooks.provisioned === 1);
  assert.match((await team.state()).hooks.error ?? '', /permission to write repository webhooks/);
});

test('unlinking, and deleting the integration, takes the hooks from the forge', async () => {
  for (const end of ['unlink', 'delete'] as const) {
    const repositories = [newRepository('octo-org/one'), newRepository('octo-org/two')];
    const team = await newLinkedTeam(repositories);
    await team.provisioned();
    const { status } =
      end === 'unlink'
        ? await team.admin.call('DELETE', team.path(`/forge-app/${team.installationId}`))
        : await team.owner.call('DELETE', team.path(''));
    assert.equal(status, 204);
    await waitUntil('no hook', () => repositories.every(({ hooks }) => hooks.length === 0));
    await waitUntil('nothing left to do', async () => {
      const left = await database.asOwner(
        `select from forge_duties where integration_id = '${team.integrationId}'
         union all select from linked_repositories where integration_id = '${team.integrationId}'`,
      );
      return left.length === 0;
    });
  }
});

test('history is read as far back as asked, with attempts and jobs, past a rate limit, and alerts nobody', async () => {
  const [busy, quiet] = [newRepository('octo-org/busy'), newRepository('octo-org/quiet')];
  busy.runs = Array.from({ length: 70 }, (_, index) =>
    newRun(busy, daysAgo(0.01 + index / 2), {
      conclusion: index === 0 ? 'failure' : 'success',
      attempts: index === 1 ? 3 : 1,
    }),
  );
  quiet.runs = [newRun(quiet, daysAgo(2), { jobs: 2 })];
  quiet.pullRequests = Array.from({ length: 150 }, (_, index) =>
    newPullRequest(500 - index, daysAgo(index / 4 + 2), daysAgo(index / 4)),
  );
  const team = await newLinkedTeam([busy, quiet]);
  await team.provisioned();
  const rule = await team.owner.call('POST', team.path('/notification-rules'), ruleBody());
  assert.equal(rule.status, 201, JSON.stringify(rule.body));

  let limits = 1;
  forge.interfere = (call) =>
    call.endsWith('/runs page 2') && limits-- > 0
      ? { status: 403, headers: { 'retry-after': '1', 'x-ratelimit-remaining': '0' } }
      : undefined;
  const asked = await team.admin.call('POST', team.path(`/forge-app/${team.installationId}/history`), {
    days: 30,
  });
  assert.equal(asked.status, 202);
  await waitUntil('the limit', async () => (await team.state()).history?.state === 'failed');
  const late = await team.state();
  assert.match(late.history?.error ?? '', /rate limit/);
  await waitUntil('the end', async () => (await team.state()).history?.state === 'done', 30_000);
  forge.interfere = undefined;

  const { history } = await team.state();
  assert.deepEqual(
    { repositories: history?.repositories, read: history?.repositoriesRead, runs: history?.runs },
    { repositories: 2, read: 2, runs: 61 },
  );
  const stored = await team.runs();
  const wanted = [...busy.runs.slice(0, 60), ...quiet.runs];
  assert.deepEqual(stored.map(({ runId }) => runId).sort(), wanted.map(({ id }) => id).sort());
  const again = await team.viewer.call('GET', team.path(`/workflows/${busy.runs[1]!.id}`));
  assert.deepEqual(
    (again.body['attempts'] as { attempt: number; conclusion: string }[]).map(
      ({ attempt, conclusion }) => `${attempt} ${conclusion}`,
    ),
    ['1 failure', '2 failure', '3 success'],
  );
  const pullRequests = await database.asOwner<{ number: number; merged: boolean }>(
    `select number::int, merged from pull_requests where integration_id = '${team.integrationId}' order by number desc`,
  );
  assert.deepEqual(
    pullRequests,
    Array.from({ length: 120 }, (_, index) => ({ number: 500 - index, merged: true })),
  );
  const entries = (await product.entries(team.integrationId)).map(({ title }) => title);
  assert.ok(
    entries.includes('The history of octo-org was read: runs 61, repositories 2'),
    entries.join('\n'),
  );
  const incidents = await team.viewer.call('GET', team.path('/incidents'));
  assert.deepEqual(incidents.body.items, []);
});

test('history that is being read can be stopped by an admin, and by nobody below', async () => {
  const repository = newRepository('octo-org/long');
  repository.runs = Array.from({ length: 31 }, (_, index) => newRun(repository, daysAgo(index / 100)));
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const path = team.path(`/forge-app/${team.installationId}/history`);
  assert.equal((await team.member.call('POST', path, { days: 3 })).status, 403);
  assert.equal((await team.admin.call('POST', path, { days: 0 })).body.code, 'invalid_request');
  assert.equal((await team.admin.call('DELETE', path)).status, 404);
  forge.interfere = (call) => (call.endsWith('/runs page 2') ? { status: 500 } : undefined);
  assert.equal((await team.admin.call('POST', path, { days: 3 })).status, 202);
  await waitUntil('a failure', async () => (await team.state()).history?.state === 'failed');
  assert.equal((await team.admin.call('DELETE', path)).status, 204);
  forge.interfere = undefined;
  assert.equal((await team.state()).history?.state, 'stopped');
  assert.equal((await team.runs()).length, 30);
  const stranger = team.path('/forge-app/999999/history');
  assert.equal((await team.admin.call('POST', stranger, { days: 3 })).status, 404);
});

test('a run whose end was never told is asked for, corrected and alerted about; an unknown one is left alone', async () => {
  const repository = newRepository('octo-org/lost');
  const begun = new Date(Date.now() - 2 * 3_600_000);
  const lost = newRun(repository, begun, { conclusion: 'failure' });
  const unknown = newRun(repository, begun);
  const working = newRun(repository, begun, { status: 'in_progress', conclusion: null });
  repository.runs = [lost, working];
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  await team.owner.call('POST', team.path('/notification-rules'), ruleBody());
  for (const run of [lost, unknown, working]) {
    const told = {
      ...run.attempts[0],
      status: 'in_progress',
      conclusion: null,
      updated_at: begun.toISOString(),
    };
    const answer = await team.post({
      action: 'in_progress',
      workflow_run: told,
      repository: { id: repository.id, full_name: repository.name, default_branch: 'main' },
    });
    assert.equal(answer.status, 200);
  }
  await waitUntil('the runs', async () => (await team.runs()).length === 3);
  const before = forge.calls.length;
  await database.asOwner(
    `update forge_duties set due_at = now() where integration_id = '${team.integrationId}' and kind = 'unfinished'`,
  );
  await waitUntil('the correction', async () =>
    (await team.runs()).some(({ runId, conclusion }) => runId === lost.id && conclusion === 'failure'),
  );
  await waitUntil('an incident', async () => {
    const { body } = await team.viewer.call('GET', team.path('/incidents'));
    return body.items.length === 1;
  });
  const checks = () =>
    database.asOwner<{ run_id: string; waits: string }>(
      `select run_id::text, case when next_at = 'infinity' then 'for good' else 'a while' end as waits from run_checks
       where integration_id = '${team.integrationId}' order by run_id`,
    );
  await waitUntil('all checks', async () => (await checks()).length === 3);
  const run = await team.viewer.call('GET', team.path(`/workflows/${lost.id}`));
  assert.equal((run.body['jobs'] as unknown[]).length, 1);
  const open = (await team.runs()).filter(({ status }) => status === 'in_progress');
  assert.deepEqual(open.map(({ runId }) => runId).sort(), [unknown.id, working.id].sort());
  await waitUntil('an entry', async () =>
    (await product.entries(team.integrationId)).some(({ type }) => type === 'forge_app.runs_corrected'),
  );
  const asked = forge.calls.slice(before).filter((call) => call.endsWith(`/runs/${unknown.id}`));
  assert.equal(asked.length, 1);
  const waits = new Map((await checks()).map(({ run_id: id, waits }) => [Number(id), waits]));
  assert.deepEqual([waits.get(unknown.id), waits.get(working.id)], ['for good', 'a while']);
});
