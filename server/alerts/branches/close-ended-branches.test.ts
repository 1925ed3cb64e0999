import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import { endOfRun, seconds, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { pullRequestPayload } from '#test/support/data/forge-events.ts';
import { countRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, items, addRule, post } = await startAlertProgram();

const fork = 'ann/site';

function pull(
  number: number,
  branch: string,
  state: string,
  at: number,
  repository: string | null = 'acme/site',
  base = 'main',
) {
  const repo = repository === null ? null : { full_name: repository };
  const head = { ref: branch, sha: 'a'.repeat(40), repo };
  return pullRequestPayload({
    number,
    state,
    merged: state === 'closed',
    updated_at: seconds(at),
    closed_at: state === 'closed' ? seconds(at) : null,
    head,
    base: { ref: base },
  });
}

const queued = (number: number, base = 'main') => `gh-readonly-queue/${base}/pr-${number}-${'b'.repeat(40)}`;

const branchRun = (id: number, branch: string, at: number, repository = 'acme/site') =>
  endOfRun(id, 'failure', at, { head_branch: branch, head_repository: { full_name: repository } });

test('incidents close with the last pull request of their branch, and its late runs open none', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const read = () => items<Incident>(integration, 'incidents?limit=100');
  const stateOf = async (branch: string) =>
    (await read()).filter((each) => each.branch === branch).map(({ closeReason }) => closeReason ?? 'open');

  await post(integration, 'pull_request', pull(1, 'feature', 'open', 1));
  await post(integration, 'pull_request', pull(2, 'feature', 'open', 1));
  await post(integration, 'pull_request', pull(3, 'main', 'open', 1));
  await post(integration, 'pull_request', pull(4, 'feature', 'open', 1, fork));
  await post(integration, 'workflow_run', branchRun(100, 'feature', 10));
  await post(integration, 'workflow_run', branchRun(101, 'main', 10));
  await post(integration, 'workflow_run', branchRun(102, 'feature', 10, fork));
  const inProgress = { head_branch: 'feature', status: 'in_progress', conclusion: null };
  await post(integration, 'workflow_run', endOfRun(105, '', 11, inProgress));
  await waitUntil('three incidents', async () => (await read()).length === 3);

  await post(integration, 'pull_request', pull(1, 'feature', 'closed', 20));
  await post(integration, 'pull_request', pull(3, 'main', 'closed', 20));
  // It was closed because its fork was deleted.
  await post(integration, 'pull_request', pull(4, 'feature', 'closed', 20, null));
  await waitUntil('the incident of the fork to close', async () =>
    (await stateOf('ann:feature')).includes('pull_request_closed'),
  );
  assert.deepEqual(await stateOf('feature'), ['open'], 'another pull request of the branch is open');
  assert.deepEqual(await stateOf('main'), ['open'], 'the default branch never ends');

  await post(integration, 'pull_request', pull(2, 'feature', 'closed', 30));
  await waitUntil('the incident of the branch to close', async () =>
    (await stateOf('feature')).includes('pull_request_closed'),
  );
  // A run that was in progress, a later attempt of a run from before the end, and a run after it.
  await post(integration, 'workflow_run', branchRun(105, 'feature', 40));
  await post(
    integration,
    'workflow_run',
    endOfRun(100, 'failure', 40, { run_attempt: 2, head_branch: 'feature' }),
  );
  await post(integration, 'workflow_run', branchRun(110, 'feature', 100));
  // One that began before the end, and that nothing reported until now.
  await post(integration, 'workflow_run', branchRun(103, 'feature', 40));
  const again = await waitUntil('an incident after the branch was used again', async () =>
    (await read()).find(({ branch, status }) => branch === 'feature' && status === 'open'),
  );
  assert.deepEqual([again.failedRuns, again.firstFailure.runId], [1, 110]);
  assert.equal((await stateOf('feature')).filter((state) => state === 'open').length, 1);
  const pulled = (await read()).filter(({ closeReason }) => closeReason === 'pull_request_closed');
  assert.deepEqual(pulled.map(({ branch, closedAt }) => [branch, closedAt]).sort(), [
    ['ann:feature', seconds(20)],
    ['feature', seconds(30)],
  ]);
  const log = await items<{ title: string; actor: unknown }>(integration, 'event-log?type=incident.closed');
  assert.deepEqual(log.map(({ title, actor }) => [title, actor]).sort(), [
    ['The incident of CI in acme/site on ann:feature was closed with its pull request', null],
    ['The incident of CI in acme/site on feature was closed with its pull request', null],
  ]);
});

/** The branch of each incident, and why it ended. */
async function readEnds(integration: Parameters<typeof items>[0]): Promise<string[]> {
  const incidents = await items<Incident>(integration, 'incidents?limit=100');
  return incidents.map(({ branch, closeReason }) => `${branch} ${closeReason ?? 'open'}`).toSorted();
}

test('the incident of a merge queue ends with its pull request, and its late failure opens none', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const read = () => readEnds(integration);
  await post(integration, 'pull_request', pull(1, 'topic', 'open', 1));
  await post(integration, 'workflow_run', branchRun(200, queued(1), 10));
  await waitUntil('the incident', async () => (await read()).length === 1);
  await post(integration, 'pull_request', pull(1, 'topic', 'closed', 20));
  await waitUntil('its end', async () => (await read())[0]?.endsWith(' pull_request_closed') === true);
  await post(integration, 'workflow_run', branchRun(199, queued(1), 9));
  await post(integration, 'workflow_run', branchRun(198, queued(1, 'release/1'), 9));
  await post(integration, 'workflow_run', branchRun(201, queued(2), 30));
  await waitUntil('the incident of another one', async () => (await read()).length === 2);
  assert.deepEqual(await read(), [
    'merge queue of #1 into main pull_request_closed',
    'merge queue of #2 into main open',
  ]);
});

test('the merge queues of one pull request into two branches have incidents of their own, which end with it', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const read = () => readEnds(integration);
  const until = (what: string, ...texts: string[]) =>
    waitUntil(what, async () => (await read()).join() === texts.join());
  await post(integration, 'pull_request', pull(1, 'topic', 'open', 1));
  await post(integration, 'workflow_run', branchRun(300, queued(1), 70));
  await until('the incident', 'merge queue of #1 into main open');
  const passed = endOfRun(301, 'success', 80, { head_branch: queued(1, 'release/1') });
  await post(integration, 'workflow_run', passed);
  await post(integration, 'workflow_run', branchRun(302, queued(1, 'release/1'), 90));
  await until('two', 'merge queue of #1 into main open', 'merge queue of #1 into release/1 open');
  await post(integration, 'pull_request', pull(1, 'topic', 'closed', 100));
  await until(
    'the end of both',
    'merge queue of #1 into main pull_request_closed',
    'merge queue of #1 into release/1 pull_request_closed',
  );
});

test('the incident of a merge queue ends with the base branch of its pull request, and its late failure opens none', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const until = (what: string, ...texts: string[]) =>
    waitUntil(what, async () => (await readEnds(integration)).join() === texts.join());
  const moved = (at: number, base: string) => pull(1, 'topic', 'open', at, 'acme/site', base);
  await post(integration, 'pull_request', moved(1, 'main'));
  await post(integration, 'workflow_run', branchRun(600, queued(1), 70));
  await post(integration, 'workflow_run', branchRun(601, queued(2), 70));
  await until('the incidents', 'merge queue of #1 into main open', 'merge queue of #2 into main open');
  await post(integration, 'pull_request', moved(20, 'release/1'));
  const ended = 'merge queue of #1 into main base_branch_changed';
  await until('its end', ended, 'merge queue of #2 into main open');
  // One that was in progress, and one into the new base.
  await post(integration, 'workflow_run', branchRun(602, queued(1), 75));
  await post(integration, 'workflow_run', branchRun(603, queued(1, 'release/1'), 90));
  const other = 'merge queue of #2 into main open';
  await until('another one', ended, 'merge queue of #1 into release/1 open', other);
  // It may come back.
  await post(integration, 'pull_request', moved(120, 'main'));
  await until('the end of both', ended, 'merge queue of #1 into release/1 base_branch_changed', other);
  await post(integration, 'workflow_run', branchRun(604, queued(1), 190));
  await waitUntil('a third one', async () =>
    (await readEnds(integration)).includes('merge queue of #1 into main open'),
  );
  const log = await items<{ title: string }>(integration, 'event-log?type=incident.closed');
  assert.deepEqual(
    log.map(({ title }) => title),
    ['release/1', 'main'].map(
      (base) =>
        `The incident of CI in acme/site on merge queue of #1 into ${base} was closed because its pull request has another base branch`,
    ),
  );
});

test('the incident of a merge queue ends when the first event of its pull request names another base branch', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const until = (text: string) => waitUntil(text, async () => (await readEnds(integration)).join() === text);
  await post(integration, 'workflow_run', branchRun(700, queued(1), 70));
  await until('merge queue of #1 into main open');
  await post(integration, 'pull_request', pull(1, 'topic', 'open', 20, 'acme/site', 'release/1'));
  await until('merge queue of #1 into main base_branch_changed');
});

test('a late event with an earlier base branch of a pull request closes no incident of its merge queue', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const read = () => readEnds(integration);
  // The queue tested it with this base after the time of the event.
  await post(integration, 'workflow_run', branchRun(800, queued(1, 'release/1'), 100));
  await waitUntil('the incident', async () => (await read()).length === 1);
  await post(integration, 'pull_request', pull(1, 'topic', 'open', 20));
  await waitUntil('its evaluation', async () => {
    const { integrationId: group_id } = integration;
    const pulls = await countRows(program.database, 'pull_requests', { integration_id: group_id });
    return pulls === 1 && (await countRows(program.database, 'pending_branch_ends', { group_id })) === 0;
  });
  assert.deepEqual(await read(), ['merge queue of #1 into release/1 open']);
});

test('a branch of a fork with the name of a merge group says nothing about the pull request of that number', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const ofFork = (id: number, at: number, head: object | null) =>
    endOfRun(id, 'failure', at, { head_branch: queued(12), event: 'pull_request', head_repository: head });
  await post(integration, 'workflow_run', ofFork(500, 10, { id: 99, full_name: fork }));
  await post(integration, 'workflow_run', ofFork(501, 20, null));
  await post(integration, 'workflow_run', branchRun(502, queued(12), 30));
  const read = async () =>
    (await items<Incident>(integration, 'incidents')).map(({ branch, firstFailure }) => [
      branch,
      firstFailure.runId,
    ]);
  await waitUntil('the incidents', async () => (await read()).length === 3);
  assert.deepEqual((await read()).sort(), [
    [`ann:${queued(12)}`, 500],
    [`fork:${queued(12)}`, 501],
    ['merge queue of #12 into main', 502],
  ]);
  const ofPull = await items<{ runId: number }>(integration, 'workflows?pullRequest=12');
  assert.deepEqual(
    ofPull.map(({ runId }) => runId),
    [502],
  );
});

test('the incident of a fork that is not named ends with the pull request that its commit or number tells', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const read = () => readEnds(integration);
  const until = (text: string) => waitUntil(text, async () => (await read()).includes(text));
  const gone = (id: number, branch: string, at: number, more: object) =>
    endOfRun(id, 'failure', at, { head_branch: branch, head_repository: null, ...more });
  const ofCommit = { head_sha: 'a'.repeat(40) };
  // Of a commit, of a number, of an unknown commit, and of one of two forks.
  await post(integration, 'workflow_run', gone(400, 'commit', 10, { head_sha: 'b'.repeat(40) }));
  await post(integration, 'workflow_run', gone(401, 'commit', 12, ofCommit));
  const ofNumber = { head_sha: 'b'.repeat(40), pull_requests: [{ number: 12 }] };
  await post(integration, 'workflow_run', gone(402, 'number', 10, ofNumber));
  await post(integration, 'workflow_run', gone(403, 'unknown', 10, { head_sha: 'b'.repeat(40) }));
  await post(integration, 'workflow_run', gone(404, 'two', 10, ofCommit));
  await post(integration, 'workflow_run', branchRun(405, 'commit', 10));
  await post(integration, 'pull_request', pull(25, 'two', 'open', 1, 'ben/site'));
  await waitUntil('five incidents', async () => (await read()).length === 5);
  for (const [number, branch] of ['late', 'number', 'unknown', 'two', 'commit'].entries())
    await post(
      integration,
      'pull_request',
      pull(11 + number, branch, 'closed', 20, number === 1 ? fork : null),
    );
  await until('fork:commit pull_request_closed');
  await post(integration, 'workflow_run', gone(406, 'late', 15, ofCommit));
  await post(integration, 'workflow_run', branchRun(407, 'last', 40));
  await until('last open');
  assert.deepEqual(await read(), [
    'commit open',
    'fork:commit pull_request_closed',
    'fork:number pull_request_closed',
    'fork:two open',
    'fork:unknown open',
    'last open',
  ]);
});

test('a success on our branch closes no incident of a branch with its name in a fork that is deleted', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const read = async () =>
    (await items<Incident>(integration, 'incidents?limit=100')).map(
      ({ branch, status }) => `${branch} ${status}`,
    );
  const gone = { head_branch: 'feature', head_repository: null };
  await post(integration, 'workflow_run', endOfRun(300, 'failure', 10, gone));
  await waitUntil('its incident', async () => (await read()).includes('fork:feature open'));
  await post(integration, 'workflow_run', branchRun(301, 'feature', 20));
  await waitUntil('ours', async () => (await read()).includes('feature open'));
  await post(integration, 'workflow_run', endOfRun(302, 'success', 30, { head_branch: 'feature' }));
  await waitUntil('ours to close', async () => (await read()).includes('feature closed'));
  assert.deepEqual((await read()).toSorted(), ['feature closed', 'fork:feature open']);
});

test('the branches that Gitea and Forgejo call by the number of a pull request end with it', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const read = async (status: string) =>
    (await items<Incident>(integration, `incidents?status=${status}`)).map(({ branch }) => branch).toSorted();
  await post(integration, 'pull_request', pull(12, 'feature', 'open', 1));
  await post(integration, 'workflow_run', branchRun(100, '#12', 10));
  await post(
    integration,
    'workflow_run',
    endOfRun(101, 'failure', 10, { head_branch: '#12', head_repository: null }),
  );
  await post(integration, 'workflow_run', branchRun(102, '#13', 10));
  await waitUntil('three incidents', async () => (await read('open')).length === 3);
  await post(integration, 'pull_request', pull(12, 'feature', 'closed', 20));
  await waitUntil('two of them to close', async () => (await read('closed')).length === 2);
  assert.deepEqual(await read('closed'), ['#12', 'fork:#12']);
  assert.deepEqual(await read('open'), ['#13']);
});

test('a run of a pull request that is opened again fails on its branch, although it was created before the end', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['run'] });
  const countEnds = () =>
    countRows(program.database, 'branch_ends', { integration_id: integration.integrationId });
  await post(integration, 'pull_request', pull(1, 'feature', 'open', 1));
  await post(integration, 'workflow_run', endOfRun(100, 'success', 61, { head_branch: 'feature' }));
  await post(integration, 'pull_request', pull(1, 'feature', 'closed', 70));
  await waitUntil('the end of the branch', async () => (await countEnds()) > 0);
  await post(integration, 'pull_request', pull(1, 'feature', 'open', 80));
  await waitUntil('the branch to go on', async () => (await countEnds()) === 0);
  const rerun = { head_branch: 'feature', run_attempt: 2, created_at: seconds(1) };
  await post(integration, 'workflow_run', endOfRun(100, 'failure', 161, rerun));
  await waitUntil(
    'the incident',
    async () => (await items(integration, 'incidents?status=open')).length === 1,
  );
});
