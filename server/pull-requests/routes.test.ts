import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { MyPullRequests, PullRequestDetail, PullRequestPage } from '#contract/runs/pull-requests.ts';
import { reviewPayload } from '#test/support/data/forge-events.ts';
import { failedJob, pull, run, sha } from '#test/support/data/pull-request-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { refused, startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const checks = {
  page: Compile(PullRequestPage),
  mine: Compile(MyPullRequests),
  detail: Compile(PullRequestDetail),
};

async function send(team: Team, ...events: [string, object][]): Promise<void> {
  for (const [event, payload] of events)
    await postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });
}

async function find(team: Team, query: string, who: Person = team.viewer): Promise<PullRequestPage> {
  const { body } = await who.call('GET', team.path(`/pull-requests?${query}`));
  assert.ok(checks.page.Check(body), JSON.stringify(body));
  return body;
}

const numbersOf = async (team: Team, query: string) =>
  (await find(team, query)).items.map(({ number, repository }) => `${repository}#${number}`);

async function detailOf(team: Team, rest: string): Promise<PullRequestDetail> {
  const { body } = await team.viewer.call('GET', team.path(`/pull-requests/${rest}`));
  assert.ok(checks.detail.Check(body), JSON.stringify(body));
  return body;
}

test('a pull request has the checks of its newest and its earlier commits, with the reasons of failed jobs', async () => {
  const team = await product.newTeam();
  await send(
    team,
    ['pull_request', pull({ number: 12, head: sha('b') })],
    ['workflow_run', run({ id: 1, head: sha('a'), numbers: [12], conclusion: 'success', minutesAgo: 90 })],
    ['workflow_run', run({ id: 2, numbers: [12], conclusion: 'failure' })],
    ['workflow_job', failedJob({ runId: 2, step: 'Run npm test' })],
    ['workflow_run', run({ id: 3, numbers: [12], workflow: 'Lint', conclusion: null, minutesAgo: 55 })],
    ['workflow_run', run({ id: 4, head: sha('c'), branch: 'other', numbers: [13] })],
    [
      'pull_request_review',
      reviewPayload(
        { id: 1, user: { login: 'bob' }, state: 'changes_requested' },
        { pull_request: { number: 12 } },
      ),
    ],
  );
  await waitUntil('the reason', async () => {
    const { status, body } = await team.viewer.call('GET', team.path('/pull-requests/12'));
    return (
      status === 200 && JSON.stringify(body).includes('"groupId":"') && JSON.stringify(body).includes('bob')
    );
  });
  const detail = await detailOf(team, '12?repository=acme/site');
  assert.deepEqual(
    detail.commits.map((commit) => [
      commit.sha,
      commit.title,
      commit.summary.state,
      commit.checks.map(({ run: { runId } }) => runId),
    ]),
    [
      [sha('b'), 'Commit of 3', 'failed', [3, 2]],
      [sha('a'), 'Commit of 1', 'passed', [1]],
    ],
  );
  const [job] = detail.commits[0]?.checks[1]?.jobs ?? [];
  assert.deepEqual(
    [job?.name, job?.failure?.step?.name, job?.failure?.errorLine, job?.failure?.assessment?.kind],
    ['test', 'Run npm test', 'Step Run npm test failed', 'new_on_branch'],
  );
  assert.deepEqual(
    [detail.review, detail.reviews.map(({ author }) => author)],
    ['changes_requested', ['bob']],
  );
  assert.equal(detail.pullRequest.url, 'https://forge.example.com/pull/12');
  assert.equal(detail.isComplete, true);
});

test('a pull request of a fork has its earlier commits, and not those of the default branch with the same name', async () => {
  const team = await product.newTeam();
  await send(
    team,
    ['pull_request', pull({ number: 5, branch: 'main', author: 'eve', fork: true })],
    ['workflow_run', run({ id: 1, branch: 'main', fork: 'eve', head: sha('a'), minutesAgo: 90 })],
    ['workflow_run', run({ id: 2, branch: 'main', fork: 'eve' })],
    ['workflow_run', run({ id: 3, branch: 'main', head: sha('d') })],
    ['workflow_run', run({ id: 4, branch: 'main', fork: 'mallory', head: sha('e') })],
    ['workflow_run', run({ id: 5, branch: 'main', fork: 'eve', head: sha('f'), minutesAgo: 200 })],
  );
  await waitUntil('five runs', async () => {
    const { body } = await team.viewer.call('GET', team.path('/workflows'));
    return body.items.length === 5;
  });
  const { commits } = await detailOf(team, '5');
  assert.deepEqual(
    commits.map((commit) => commit.sha),
    [sha('b'), sha('a')],
  );
});

test('a pull request is found by number, branch and SHA, also of an earlier commit, else by words of its title', async () => {
  const team = await product.newTeam();
  await send(
    team,
    ['pull_request', pull({ number: 12, title: 'Round the amount once', minutesAgo: 30 })],
    [
      'pull_request',
      pull({ number: 12, repository: 'acme/api', branch: 'api-topic', head: sha('c'), state: 'closed' }),
    ],
    ['pull_request', pull({ number: 13, branch: 'fix/1', head: sha('d'), minutesAgo: 20 })],
    ['workflow_run', run({ id: 1, head: `1234567${sha('a').slice(7)}`, numbers: [12] })],
  );
  await waitUntil('three pull requests and a run', async () => {
    const { body } = await team.viewer.call('GET', team.path('/workflows'));
    return body.items.length === 1 && (await numbersOf(team, '')).length === 3;
  });
  assert.deepEqual(await numbersOf(team, ''), ['acme/site#13', 'acme/site#12', 'acme/api#12']);
  for (const q of ['12', '%2312'])
    assert.deepEqual(await numbersOf(team, `q=${q}`), ['acme/site#12', 'acme/api#12'], q);
  assert.deepEqual(await numbersOf(team, 'q=12&repository=acme/api'), ['acme/api#12']);
  assert.deepEqual(await numbersOf(team, 'q=fix/1'), ['acme/site#13']);
  for (const q of [sha('d'), 'DDDDDDD', sha('d').slice(0, 12)])
    assert.deepEqual(await numbersOf(team, `q=${q}`), ['acme/site#13'], q);
  assert.deepEqual(await numbersOf(team, 'q=1234567'), ['acme/site#12'], 'an earlier commit');
  assert.deepEqual(await numbersOf(team, 'q=the%20ROUND'), ['acme/site#12']);
  assert.deepEqual(await numbersOf(team, 'q=100%25'), []);
  assert.deepEqual(await numbersOf(team, 'state=closed'), ['acme/api#12']);
  assert.deepEqual(await numbersOf(team, 'author=ANN&limit=1'), ['acme/site#13']);
  const { nextCursor } = await find(team, 'limit=2');
  assert.deepEqual(await numbersOf(team, `limit=2&cursor=${nextCursor}`), ['acme/api#12']);
  refused(await team.viewer.call('GET', team.path('/pull-requests/12')), 400, 'invalid_request');
  refused(await team.viewer.call('GET', team.path('/pull-requests/99')), 404, 'not_found');
});

test('my pull requests are the open ones of my account, those that need attention first', async () => {
  const team = await product.newTeam();
  const { body: me } = await team.member.call('GET', '/api/user');
  const author = String(me['forgeLogin']).toUpperCase();
  await send(
    team,
    ['pull_request', pull({ number: 1, author, head: sha('1'), branch: 'one' })],
    ['pull_request', pull({ number: 2, author, head: sha('2'), branch: 'two' })],
    ['pull_request', pull({ number: 3, author, head: sha('3'), branch: 'three' })],
    ['pull_request', pull({ number: 4, author, head: sha('4'), branch: 'four', state: 'closed' })],
    ['pull_request', pull({ number: 5, author: 'somebody', head: sha('5'), branch: 'five' })],
    ['workflow_run', run({ id: 1, head: sha('1'), numbers: [1] })],
    ['workflow_run', run({ id: 2, head: sha('2'), numbers: [2], conclusion: 'failure' })],
    ['workflow_run', run({ id: 20, head: sha('2'), numbers: [2], workflow: 'Lint' })],
    ['workflow_run', run({ id: 3, head: sha('3'), numbers: [3], conclusion: null })],
  );
  const read = async (who: Person): Promise<MyPullRequests> => {
    const { body } = await who.call('GET', team.path('/pull-requests/mine'));
    assert.ok(checks.mine.Check(body), JSON.stringify(body));
    return body;
  };
  await waitUntil('the states', async () => {
    const { items } = await read(team.member);
    return (
      items.length === 3 &&
      items.every(({ checks: { state } }) => state !== 'none') &&
      items[0]?.checks.total === 2
    );
  });
  const { items } = await read(team.member);
  assert.deepEqual(
    items.map(({ number, checks: { state, failed, passed } }) => [number, state, failed, passed]),
    [
      [2, 'failed', 1, 1],
      [3, 'running', 0, 0],
      [1, 'passed', 0, 1],
    ],
  );
  assert.deepEqual((await read(team.viewer)).items, []);
});

/** The state and the number of checks of pull request 1, once its commit has these runs. */
async function checksOf(team: Team, runs: number) {
  await waitUntil(
    `${runs} runs`,
    async () =>
      (await find(team, '')).items.length === 1 &&
      (await detailOf(team, '1')).commits[0]?.checks.length === runs,
  );
  const { state, total } = (await find(team, '')).items[0]!.checks;
  return [state, total];
}

test('a re-run of a workflow replaces its failure in the state of the commit', async () => {
  const team = await product.newTeam();
  await send(
    team,
    ['pull_request', pull({ number: 1 })],
    ['workflow_run', run({ id: 1, numbers: [1], conclusion: 'failure', minutesAgo: 50 })],
    ['workflow_run', run({ id: 2, numbers: [1], conclusion: 'success', minutesAgo: 40 })],
  );
  assert.deepEqual(await checksOf(team, 2), ['passed', 1]);
});

test('a workflow is one check by its id, also when the forge writes its path in two ways', async () => {
  const team = await product.newTeam();
  const failed = run({ id: 1, numbers: [1], conclusion: 'failure', minutesAgo: 50 });
  const passed = run({ id: 2, numbers: [1], conclusion: 'success', minutesAgo: 40 });
  const ofFile = (payload: typeof failed, workflow_id: number | string, path: string) => ({
    ...payload,
    workflow_run: { ...payload.workflow_run, workflow_id, path },
  });
  await send(
    team,
    ['pull_request', pull({ number: 1 })],
    // The first as Gitea's webhooks write it, the second as its API does.
    ['workflow_run', ofFile(failed, 'CI.yml', '.gitea/workflows/CI.yml')],
    ['workflow_run', ofFile(passed, 'CI.yml', 'CI.yml')],
    [
      'workflow_run',
      ofFile({ ...passed, workflow_run: { ...passed.workflow_run, id: 3 } }, 'more.yml', 'more.yml'),
    ],
  );
  assert.deepEqual(await checksOf(team, 3), ['passed', 2]);
});
