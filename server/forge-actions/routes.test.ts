import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRepository, newRun } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { forge, product, newLinkedTeam } = await startLinkedProduct();

/** A team with a failed run that the forge knows and that arrived as a webhook. */
async function teamWithRun() {
  const repository = newRepository('octo-org/site');
  const run = newRun(repository, new Date());
  repository.runs = [run];
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = {
    status: 'completed',
    conclusion: 'failure',
    repository: { id: repository.id, full_name: repository.name },
  };
  const jobId = Number(run.jobs[0]!['id']);
  const deliver = (event: string, payload: object) => postWebhook(product.baseUrl, team, { event, payload });
  await deliver(
    'workflow_run',
    withRepository(runPayload({ id: run.id, head_branch: 'main', ...failed }), repository),
  );
  await deliver(
    'workflow_job',
    withRepository(jobPayload({ id: jobId, run_id: run.id, ...failed }), repository),
  );
  const path = team.path(`/workflows/${run.id}`);
  await waitUntil('the run and its job', async () => {
    const { status, body } = await team.viewer.call('GET', path);
    return status === 200 && (body['jobs'] as unknown[]).length === 1;
  });
  return { ...team, path: (rest: string) => team.path(rest), run: path, runId: run.id, jobId };
}

function withRepository(payload: object, { id, name }: { id: number; name: string }): object {
  const own = (payload as { repository?: object }).repository;
  return { ...payload, repository: { ...own, id, full_name: name } };
}

for (const [name, route, body, asked, title] of [
  [
    'the failed jobs',
    'rerun',
    { scope: 'failed' },
    /\/runs\/\d+\/rerun-failed-jobs$/,
    /failed jobs were re-run/,
  ],
  ['all jobs', 'rerun', { scope: 'all' }, /\/runs\/\d+\/rerun$/, /All jobs were re-run/],
  ['one job', 'rerun', { scope: 'job' }, /\/jobs\/\d+\/rerun$/, /A job was re-run/],
  ['a cancelled run', 'cancel', undefined, /\/runs\/\d+\/cancel$/, /A run was cancelled/],
] as const) {
  test(`a member asks the forge for ${name}, and the event log names them`, async () => {
    const team = await teamWithRun();
    const before = forge.calls.length;
    const sent =
      body === undefined ? undefined : body.scope === 'job' ? { ...body, jobId: team.jobId } : body;
    const { status } = await team.member.call('POST', `${team.run}/${route}`, sent);
    assert.equal(status, 202);
    assert.match(forge.calls.slice(before).find((call) => call.startsWith('POST /repos')) ?? '', asked);
    const log = await team.viewer.call('GET', team.path('/event-log?type=run_action'));
    const entry = (log.body.items as { title: string; actor: { userId: string } }[]).find((each) =>
      title.test(each.title),
    );
    assert.equal(entry?.actor.userId, team.member.userId);
    assert.match(entry.title, /octo-org\/site on main$/);
  });
}

test('an action of a member who is removed meanwhile is in the event log', async () => {
  const team = await teamWithRun();
  forge.interfere = async (call) => {
    if (call.endsWith('/cancel'))
      await team.admin.call('DELETE', team.path(`/members/${team.member.userId}`));
    return undefined;
  };
  await team.member.call('POST', `${team.run}/cancel`);
  forge.interfere = undefined;
  const log = await team.viewer.call('GET', team.path('/event-log?type=run_action.cancelled'));
  assert.deepEqual(
    (log.body.items as { actor: { userId: string } }[]).map(({ actor }) => actor.userId),
    [team.member.userId],
  );
});

test('the refusal of the forge is returned in its own words, bounded, and nothing is recorded', async () => {
  const team = await teamWithRun();
  const words = `<b>This workflow run cannot be retried</b>${' because'.repeat(200)}`;
  forge.interfere = (call) => (call.endsWith('/rerun') ? { status: 403, message: words } : undefined);
  const { status, body } = await team.member.call('POST', `${team.run}/rerun`, { scope: 'all' });
  forge.interfere = undefined;
  assert.deepEqual([status, body.code], [409, 'forge_refused']);
  assert.equal(body['detail'], `${words.slice(0, 500)}…`);
  const log = await team.viewer.call('GET', team.path('/event-log?type=run_action.rerun'));
  assert.deepEqual(log.body.items, []);
});

test('a rate limit and a failure of the forge say when to try again', async () => {
  const team = await teamWithRun();
  for (const answer of [{ status: 429, headers: { 'retry-after': '90' } }, { status: 502 }]) {
    forge.interfere = (call) => (call.endsWith('/cancel') ? answer : undefined);
    const { status, body } = await team.member.call('POST', `${team.run}/cancel`);
    assert.deepEqual([status, body.code], [503, 'forge_unavailable']);
  }
  forge.interfere = undefined;
});

test('a run of a repository without a connection cannot be acted on, and the page knows', async () => {
  const team = await teamWithRun();
  const isConnected = async () =>
    (await team.viewer.call('GET', `${team.run}/actions`)).body['isConnected'] === true;
  await waitUntil('the connection', isConnected);
  await team.admin.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  assert.deepEqual((await team.viewer.call('GET', `${team.run}/actions`)).body, { isConnected: false });
  const { status, body } = await team.member.call('POST', `${team.run}/cancel`);
  assert.deepEqual([status, body.code], [409, 'forge_not_connected']);
});

test('a job of another run and a scope without its job are refused', async () => {
  const team = await teamWithRun();
  for (const [sent, status] of [
    [{ scope: 'job', jobId: 1 }, 404],
    [{ scope: 'job' }, 400],
    [{ scope: 'all', jobId: team.jobId }, 400],
  ] as const) {
    assert.equal((await team.member.call('POST', `${team.run}/rerun`, sent)).status, status);
  }
});
