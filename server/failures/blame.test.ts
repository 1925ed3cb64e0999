import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { failedJob, postFailedJob, type FailedJobFacts } from '#test/support/data/failed-job.ts';
import { makeGroupsSpecific } from '#test/support/database/specific-groups.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

/** Posts a run with its own commit, pushed by `by`. */
async function send(team: Team, facts: FailedJobFacts, by: string, more: object = {}): Promise<void> {
  const { run, job } = failedJob(facts);
  const payload = structuredClone(run) as { workflow_run: object };
  Object.assign(payload.workflow_run, { actor: { login: by } }, more);
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload: job });
}

interface Named {
  firstBad: { runId: number; actor: string | null } | null;
  candidates: { actor: string | null }[];
  noBlame: string | null;
  [field: string]: unknown;
}

const read = async (team: Team, path: string) => (await team.viewer.call('GET', team.path(path))).body;

async function blames(team: Team, runId: number): Promise<Named[]> {
  const overview = await read(team, '/overview');
  const [attention] = overview['needsAttention'] as (Named & { lastRunId: number })[];
  const { blame } = await read(team, `/workflows/${runId}/failures`);
  return attention === undefined ? [] : [attention, blame as Named];
}

const untilRun = (team: Team, runId: number) =>
  waitUntil('the run to be the newest red one', async () => {
    const attention = (await read(team, '/overview'))['needsAttention'] as { lastRunId: number }[];
    const { items } = await read(team, `/workflows/${runId}/failures`);
    return attention[0]?.lastRunId === runId && typeof items[0]?.['groupId'] === 'string';
  });

test('wall, overview and run name the author of the only commit after a success', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, ago: 900, conclusion: 'success' }, 'ann');
  await send(team, { id: 2, ago: 800 }, 'bob');
  await send(team, { id: 3, ago: 700 }, 'cat');
  await untilRun(team, 3);
  for (const { firstBad, noBlame } of await blames(team, 3))
    assert.deepEqual([firstBad?.runId, firstBad?.actor, noBlame], [2, 'bob', null]);
  const wall = JSON.stringify(await read(team, '/wallboard'));
  assert.match(wall, /"actor":"bob"/);
  assert.doesNotMatch(wall, /cat/);
});

test('nobody is named when another commit lies between, and all of them are candidates', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, ago: 900, conclusion: 'success' }, 'ann');
  await send(team, { id: 2, ago: 800, conclusion: 'cancelled' }, 'bob');
  await send(team, { id: 3, ago: 700 }, 'cat');
  await untilRun(team, 3);
  for (const { firstBad, noBlame, candidates } of await blames(team, 3)) {
    assert.deepEqual([firstBad, noBlame], [null, 'several_commits']);
    assert.deepEqual(
      candidates.map(({ actor }) => actor),
      ['bob', 'cat'],
    );
  }
  assert.doesNotMatch(JSON.stringify(await read(team, '/wallboard')), /bob|cat/);
});

test('while a failed run is run again, its failed attempt says what failed and whom it blames', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, ago: 900, conclusion: 'success' }, 'ann');
  await send(team, { id: 2, ago: 800, conclusion: 'timed_out' }, 'bob');
  await untilRun(team, 2);
  const before = await blames(team, 2);
  assert.equal(before[0]?.noBlame, 'infrastructure');
  const { run } = failedJob({ id: 3, runId: 2, attempt: 2, ago: 700 });
  Object.assign((run as { workflow_run: object }).workflow_run, { status: 'in_progress', conclusion: null });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: run });
  await waitUntil('the re-run', async () =>
    JSON.stringify(await read(team, '/workflows/2')).includes('in_progress'),
  );
  const [during] = await blames(team, 2);
  assert.deepEqual(during?.['failing'], before[0]?.['failing']);
  assert.deepEqual([during?.noBlame, during?.firstBad], ['infrastructure', null]);
});

test('the page of a run does not know that an earlier run passed later, when it ran again', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, ago: 900 }, 'ann');
  await send(team, { id: 2, ago: 800 }, 'bob');
  await untilRun(team, 2);
  const [, before] = await blames(team, 2);
  const again = failedJob({ id: 3, runId: 1, attempt: 2, ago: 600, conclusion: 'success' });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: again.run });
  await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload: again.job });
  await waitUntil('the re-run', async () => {
    const [attention] = await blames(team, 2);
    return attention?.['failures'] === 1;
  });
  const [attention, page] = await blames(team, 2);
  assert.deepEqual([page?.noBlame, page?.firstBad, page?.['lastGreen']], ['no_success_before', null, null]);
  assert.deepEqual(page, before);
  assert.deepEqual([attention?.noBlame, attention?.firstBad], ['flaky', null]);
});

test('the re-run of an older run neither ends a streak on the default branch nor begins one', async () => {
  const team = await product.newTeam();
  const rerun = async (id: number, runId: number, ago: number, conclusion: string) => {
    const again = failedJob({ id, runId, attempt: 2, ago, conclusion });
    await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: again.run });
    await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload: again.job });
  };
  const assessmentOf = (runId: number) =>
    waitUntil('the reason', async () => {
      const { status, body } = await team.viewer.call('GET', team.path(`/workflows/${runId}/failures`));
      const [item] = status === 200 ? body.items : [];
      const found = item?.['assessment'] as { kind: string; runs: number | null } | undefined;
      return typeof item?.['groupId'] === 'string' && found && `${found.kind} ${found.runs}`;
    });
  await send(team, { id: 1, ago: 900 }, 'ann');
  await send(team, { id: 2, ago: 800, conclusion: 'success' }, 'bob');
  await rerun(3, 1, 700, 'failure');
  await assessmentOf(1);
  // The default branch is green, so that it does not explain this one.
  await send(team, { id: 4, ago: 600, branch: 'topic' }, 'cat');
  assert.equal(await assessmentOf(4), 'new_on_branch null');
  await send(team, { id: 5, ago: 500 }, 'dan');
  await assessmentOf(5);
  await rerun(6, 2, 400, 'success');
  await send(team, { id: 7, ago: 300 }, 'eve');
  assert.equal(await assessmentOf(7), 'branch 2');
});

test('nobody is named without a success before, nor for a commit that passed before', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, ago: 900 }, 'ann');
  await untilRun(team, 1);
  for (const { firstBad, noBlame } of await blames(team, 1))
    assert.deepEqual([firstBad, noBlame], [null, 'no_success_before']);
  const same = { head_sha: '7'.padStart(40, '0') };
  await send(team, { id: 2, ago: 800, conclusion: 'success' }, 'ann', same);
  await send(team, { id: 3, ago: 700 }, 'bob', same);
  await untilRun(team, 3);
  for (const { firstBad, noBlame } of await blames(team, 3))
    assert.deepEqual([firstBad, noBlame], [null, 'same_commit']);
});

test('a merge group knows the success of an earlier group of its pull request, and names nobody', async () => {
  const team = await product.newTeam();
  const group = (number: number, id: number) =>
    `gh-readonly-queue/main/pr-${number}-${id.toString(16).padStart(40, 'a')}`;
  const queued = (id: number, number: number, conclusion: string) =>
    send(team, { id, ago: 900 - id, branch: group(number, id), conclusion }, 'ann', { event: 'merge_group' });
  await queued(1, 7, 'success');
  await queued(2, 8, 'failure');
  await queued(3, 7, 'failure');
  await queued(4, 7, 'failure');
  const blameOf = async (runId: number) => {
    const { firstBad, noBlame, lastGreen } = (await read(team, `/workflows/${runId}/failures`))[
      'blame'
    ] as Named;
    return [firstBad, noBlame, (lastGreen as { runId: number } | null)?.runId];
  };
  await waitUntil(
    'the last run',
    async () => (await read(team, '/workflows/4/failures')).items?.length === 1,
  );
  assert.deepEqual(await blameOf(2), [null, 'no_success_before', undefined]);
  assert.deepEqual(await blameOf(3), [null, 'merge_group', 1]);
  assert.deepEqual(await blameOf(4), [null, 'merge_group', 1]);
});

test('a mark as known flaky takes the name from the overview at once, and from the group its start', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, ago: 900, conclusion: 'success' }, 'ann');
  await send(team, { id: 2, ago: 800 }, 'bob');
  await untilRun(team, 2);
  const [before] = await blames(team, 2);
  assert.equal(before?.firstBad?.actor, 'bob');
  await makeGroupsSpecific(product.database, team.integrationId);
  const { items } = await read(team, '/failure-groups');
  const path = `/failure-groups/${String(items[0]?.['groupId'])}`;
  const begun = (await read(team, path))['start'] as { firstRed: { actor: string } };
  assert.equal(begun.firstRed.actor, 'bob');
  assert.equal((await team.member.call('PATCH', team.path(path), { status: 'flaky' })).status, 204);
  for (const { firstBad, noBlame, candidates } of await blames(team, 2))
    assert.deepEqual([firstBad, noBlame, candidates], [null, 'flaky', []]);
  assert.equal((await read(team, path))['start'], null);
  assert.doesNotMatch(JSON.stringify(await read(team, '/wallboard')), /bob/);
});

test('a flaky group has odds and no start', async () => {
  const team = await product.newTeam();
  await postFailedJob(product.baseUrl, team, { id: 1, ago: 900, conclusion: 'success' });
  await postFailedJob(product.baseUrl, team, { id: 2, ago: 800 });
  await postFailedJob(product.baseUrl, team, {
    id: 12,
    runId: 2,
    attempt: 2,
    ago: 700,
    conclusion: 'success',
  });
  const group = await waitUntil('the group and the re-run', async () => {
    const [one] = (await read(team, '/failure-groups')).items as { groupId: string }[];
    const body = one && (await read(team, `/failure-groups/${one.groupId}`));
    return body !== undefined && Number(body['reruns']) > 0 && body;
  });
  assert.deepEqual([group['start'], group['reruns'], group['passedReruns']], [null, 1, 1]);
});

test('a rule that is saved while a workflow is red opens an incident that began with the first failure', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, ago: 900, conclusion: 'success' }, 'ann');
  await send(team, { id: 2, ago: 800 }, 'bob');
  await send(team, { id: 3, ago: 700 }, 'cat');
  await untilRun(team, 3);
  await team.owner.call('POST', team.path('/notification-rules'), ruleBody({ events: ['run'] }));
  const incident = await waitUntil('the incident with all failures', async () => {
    const [one] = (await read(team, '/incidents')).items as (Named & {
      failedRuns: number;
      firstFailure: { runId: number };
    })[];
    return one?.failedRuns === 2 && one;
  });
  assert.deepEqual([incident.firstFailure.runId, incident.firstBad?.actor], [2, 'bob']);
});

/** Minutes since a red workflow began, as the overview and the wallboard say. */
async function redMinutes(team: Team): Promise<number[]> {
  const [attention] = (await read(team, '/overview'))['needsAttention'] as { since: string }[];
  const tiles = (await read(team, '/wallboard'))['tiles'] as { failingSince: string }[];
  return [attention?.since, tiles[0]?.failingSince].map((since) =>
    Math.round((Date.now() - Date.parse(since ?? '')) / 60_000),
  );
}

test('a commit that had passed is red since its re-run, and names nobody', async () => {
  const team = await product.newTeam();
  const created = { created_at: new Date(Date.now() - 400 * 60_000).toISOString() };
  await send(team, { id: 1, ago: 500 * 60, conclusion: 'success' }, 'ann');
  await send(team, { id: 2, ago: 399 * 60, conclusion: 'success' }, 'bob', created);
  await send(team, { id: 12, runId: 2, attempt: 2, ago: 99 * 60 }, 'bob', created);
  await untilRun(team, 2);
  for (const { firstBad, noBlame, lastGreen } of await blames(team, 2))
    assert.deepEqual([firstBad, noBlame, (lastGreen as { runId: number }).runId], [null, 'same_commit', 2]);
  assert.deepEqual(await redMinutes(team), [100, 100]);
  // The next commit has not passed, and the one before it is red already.
  await send(team, { id: 3, ago: 50 * 60 }, 'cat');
  await untilRun(team, 3);
  assert.deepEqual(await redMinutes(team), [100, 100]);
  assert.equal((await blames(team, 3))[0]?.noBlame, 'same_commit');
});

test('a run whose first attempt was cancelled is red since the attempt that failed', async () => {
  const team = await product.newTeam();
  const created = { created_at: new Date(Date.now() - 400 * 60_000).toISOString() };
  await send(team, { id: 1, ago: 500 * 60, conclusion: 'success' }, 'ann');
  await send(team, { id: 2, ago: 399 * 60, conclusion: 'cancelled' }, 'bob', created);
  await send(team, { id: 12, runId: 2, attempt: 2, ago: 99 * 60 }, 'bob', created);
  await untilRun(team, 2);
  assert.deepEqual(await redMinutes(team), [100, 100]);
  assert.equal((await blames(team, 2))[0]?.firstBad?.actor, 'bob');
});

test('a failure after 30 days without runs begins a streak of its own, without a commit to name', async () => {
  const team = await product.newTeam();
  const days = 24 * 3600;
  await send(team, { id: 1, ago: 50 * days, conclusion: 'success' }, 'ann');
  await send(team, { id: 2, ago: 40 * days }, 'bob');
  await send(team, { id: 3, ago: 5 * days }, 'cat');
  await send(team, { id: 4, ago: 4 * days }, 'dan');
  await untilRun(team, 4);
  const [first] = await blames(team, 4);
  assert.deepEqual([first?.firstBad, first?.noBlame, first?.['failures']], [null, 'no_success_before', 2]);
  const minutes = (5 * days) / 60 + 1;
  assert.deepEqual(await redMinutes(team), [minutes, minutes]);
});
