import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { verdictText } from '#contract/failures/check-verdict.ts';
import { PullRequestDetail, type PullRequestItem } from '#contract/runs/pull-requests.ts';
import { failedJob, pull, run, sha } from '#test/support/data/pull-request-events.ts';
import { makeGroupsSpecific } from '#test/support/database/specific-groups.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const check = Compile(PullRequestDetail);
const step = 'Run npm test';

async function send(team: Team, ...events: [string, object][]): Promise<void> {
  for (const [event, payload] of events)
    await postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });
}

async function detailOf(team: Team): Promise<PullRequestDetail> {
  const { body } = await team.viewer.call('GET', team.path('/pull-requests/12'));
  assert.ok(check.Check(body), JSON.stringify(body));
  return body;
}

/** Pull request 12 whose job fails in run 1, after what the test sends before. */
async function redTeam(...before: [string, object][]): Promise<Team> {
  const team = await product.newTeam();
  await send(
    team,
    ...before,
    ['pull_request', pull({ number: 12 })],
    ['workflow_run', run({ id: 1, numbers: [12], conclusion: 'failure' })],
    ['workflow_job', failedJob({ runId: 1, step })],
  );
  await waitUntil('the reason', async () => {
    const { body } = await team.viewer.call('GET', team.path('/pull-requests/12'));
    return JSON.stringify(body).includes('"groupId":"');
  });
  return team;
}

async function verdictOf(team: Team) {
  const { commits } = await detailOf(team);
  return commits[0]!.checks[0]!.jobs[0]!.verdict!;
}

/** Waits, because reasons of failed jobs are stored after their events. */
async function untilVerdict(team: Team, text: string) {
  let last = '';
  return waitUntil(`"${text}"`, async () => {
    const verdict = await verdictOf(team);
    last = verdictText(verdict);
    return last === text && verdict;
  }).catch(() => assert.equal(last, text) as never);
}

/** A run of main and its job. */
const main = (
  id: number,
  conclusion: string | null,
  minutesAgo: number,
  failing = step,
): [string, object][] => [
  ['workflow_run', run({ id, branch: 'main', head: sha('m'), event: 'push', conclusion, minutesAgo })],
  ...(conclusion === null || conclusion === 'cancelled'
    ? []
    : [
        ['workflow_job', failedJob({ runId: id, step: failing, conclusion, branch: 'main' })] as [
          string,
          object,
        ],
      ]),
];

test('a failure is new here when the job passes on the base branch, and not known before that', async () => {
  const team = await redTeam();
  await untilVerdict(team, 'Not known: the job has no result on the base branch');
  await send(team, ...main(2, 'success', 90));
  const verdict = await untilVerdict(team, 'New here: passes on main');
  assert.deepEqual([verdict.base?.runId, verdict.base?.conclusion, verdict.others], [2, 'success', 0]);
  // A commit on main after the one that passed, and before the pull request was tested.
  await send(team, ...main(3, null, 80));
  await untilVerdict(team, 'Not known: main has changed and has no result yet');
  await send(team, ...main(4, 'failure', 30, 'Run npm run lint'));
  await untilVerdict(team, 'Not known: main fails with another error');
  await send(team, ...main(5, 'success', 20));
  await untilVerdict(team, 'New here: passes on main');
});

test('a failure that the base branch has too fails elsewhere, until the base branch passes', async () => {
  const team = await redTeam(...main(2, 'failure', 90));
  await untilVerdict(team, 'Not known: a failure without details looks the same on main');
  await makeGroupsSpecific(product.database, team.integrationId);
  const verdict = await untilVerdict(team, 'Also fails on main');
  assert.deepEqual([verdict.base?.runId, verdict.base?.isSame], [2, true]);
  // A run that was cancelled takes no failure back.
  await send(team, ...main(3, 'cancelled', 40));
  await untilVerdict(team, 'Also fails on main');
  await send(team, ...main(4, 'success', 30));
  await untilVerdict(team, 'New here: passes on main');
});

test('a failure that other open pull requests have now fails elsewhere, with links to them', async () => {
  const other = (number: number, head: string, runId: number): [string, object][] => [
    ['pull_request', pull({ number, head: sha(head), branch: `topic-${number}` })],
    [
      'workflow_run',
      run({
        id: runId,
        head: sha(head),
        branch: `topic-${number}`,
        numbers: [number],
        conclusion: 'failure',
      }),
    ],
    ['workflow_job', failedJob({ runId, step, branch: `topic-${number}` })],
  ];
  const team = await redTeam(
    ...main(2, 'success', 90),
    ...other(13, 'c', 3),
    ...other(14, 'd', 4),
    // Another pull request with the same commit says nothing more.
    ['pull_request', pull({ number: 15 })],
  );
  await waitUntil('three reasons', async () => {
    const { body } = await team.viewer.call('GET', team.path('/failure-groups'));
    return body.items[0]?.failures === 3;
  });
  await makeGroupsSpecific(product.database, team.integrationId);
  const verdict = await untilVerdict(team, 'Also fails in 2 other pull requests');
  assert.deepEqual(
    verdict.pullRequests.toSorted((a, b) => a.number - b.number),
    [
      { number: 13, runId: 3 },
      { number: 14, runId: 4 },
    ],
  );
  const at = { head: sha('c'), branch: 'topic-13' };
  await send(team, ['workflow_run', run({ id: 5, ...at, numbers: [13], minutesAgo: 40 })]);
  await untilVerdict(team, 'Also fails in 1 other pull request');
  await send(team, ['pull_request', pull({ number: 14, branch: 'topic-14', head: sha('e'), minutesAgo: 1 })]);
  await untilVerdict(team, 'New here: passes on main');
  await send(team, ['pull_request', pull({ number: 12, state: 'closed', minutesAgo: 1 })]);
  await waitUntil('no verdict about a closed pull request', async () => (await verdictOf(team)) === null);
});

test('a failure that a member marked as flaky is flaky', async () => {
  const team = await redTeam(...main(2, 'success', 90));
  await makeGroupsSpecific(product.database, team.integrationId);
  const { body } = await team.viewer.call('GET', team.path('/failure-groups'));
  const group = team.path(`/failure-groups/${body.items[0]!.groupId}`);
  assert.equal((await team.member.call('PATCH', group, { status: 'flaky' })).status, 204);
  await untilVerdict(team, 'Known flaky');
});

test('a run that failed without a failed job is not known, with the result of the base branch', async () => {
  const team = await product.newTeam();
  await send(
    team,
    ...main(2, 'success', 90),
    ['pull_request', pull({ number: 12 })],
    ['workflow_run', run({ id: 1, numbers: [12], conclusion: 'startup_failure' })],
  );
  const verdict = await waitUntil('the run', async () => {
    const { status } = await team.viewer.call('GET', team.path('/pull-requests/12'));
    return status === 200 && ((await detailOf(team)).commits[0]?.checks[0]?.verdict ?? false);
  });
  assert.deepEqual([verdict.kind, verdict.unknown, verdict.base?.runId], ['not_known', 'no_reason', 2]);
});

test('the runs of the merge queue are on the page of their pull request, newest first', async () => {
  const team = await product.newTeam();
  const group = (id: number, letter: string, minutesAgo: number, conclusion: string) =>
    run({
      id,
      head: sha(letter),
      branch: `gh-readonly-queue/main/pr-12-${sha(letter)}`,
      event: 'merge_group',
      minutesAgo,
      conclusion,
    });
  await send(
    team,
    ['pull_request', pull({ number: 12 })],
    ['workflow_run', run({ id: 1, numbers: [12] })],
    ['workflow_run', group(2, 'e', 50, 'failure')],
    ['workflow_run', group(3, 'f', 40, 'success')],
  );
  await waitUntil('three runs', async () => {
    const { body } = await team.viewer.call('GET', team.path('/workflows'));
    return body.items.length === 3;
  });
  const { commits, mergeQueue } = await detailOf(team);
  assert.deepEqual(
    [commits.map((commit) => commit.checks.length), mergeQueue.map((each) => each.run.runId)],
    [[1], [3, 2]],
  );
  const { body } = await team.viewer.call('GET', team.path('/pull-requests'));
  const { checks, mergeQueue: queue } = body.items[0] as PullRequestItem;
  assert.deepEqual([checks.total, queue?.state, queue?.total], [1, 'passed', 1]);
});
