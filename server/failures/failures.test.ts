import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  FailureGroupDetail,
  FailureGroupPage,
  RunFailures,
  trendDays,
  type FailureGroup,
} from '#contract/failures/failures.ts';
import { postFailedJob, type FailedJobFacts } from '#test/support/data/failed-job.ts';
import { makeGroupsSpecific } from '#test/support/database/specific-groups.ts';
import { refused, startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { Compile } from 'typebox/compile';

const product = await startTeamProduct({}, ['api', 'worker']);
const { baseUrl, newTeam } = product;
const checks = {
  run: Compile(RunFailures),
  page: Compile(FailureGroupPage),
  group: Compile(FailureGroupDetail),
};

/** Sends a run and its job, and waits until the reason of a failed job is stored. */
async function send(team: Team, facts: FailedJobFacts): Promise<void> {
  await postFailedJob(baseUrl, team, facts);
  const { id, runId = id, attempt = 1, conclusion = 'failure' } = facts;
  await waitUntil(`job ${id}`, async () => {
    await delay(150);
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${runId}`));
    const jobs = (body['jobs'] ?? []) as { jobId: number }[];
    if (!jobs.some(({ jobId }) => jobId === id)) return false;
    return (
      conclusion === 'success' || typeof (await failuresOf(team, runId, attempt))[0]?.groupId === 'string'
    );
  });
}

async function failuresOf(team: Team, runId: number, attempt?: number): Promise<RunFailures['items']> {
  const query = attempt === undefined ? '' : `?attempt=${attempt}`;
  const { status, body } = await team.viewer.call('GET', team.path(`/workflows/${runId}/failures${query}`));
  if (status === 404) return [];
  assert.ok(checks.run.Check(body));
  return body.items;
}

async function groupsOf(team: Team, query = ''): Promise<FailureGroup[]> {
  const { body } = await team.viewer.call('GET', team.path(`/failure-groups${query}`));
  assert.ok(checks.page.Check(body));
  return body.items;
}

test('a search for a job, its error or its repository finds a run that passed on re-run', async () => {
  const team = await newTeam();
  await send(team, { id: 71, runId: 7, name: 'parser-suite', step: 'Fold brackets' });
  await send(team, { id: 72, runId: 7, attempt: 2, name: 'parser-suite', conclusion: 'success' });
  await send(team, { id: 81, runId: 8, name: 'other', conclusion: 'success' });
  const find = async (q: string) => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows?q=${encodeURIComponent(q)}`));
    return (body['items'] as { runId: number; conclusion: string; errorLine: string | null }[]).map(
      ({ runId, conclusion, errorLine }) => [runId, conclusion, errorLine],
    );
  };
  const passed = [7, 'success', 'Step Fold brackets failed'];
  assert.deepEqual(await find('fold brackets'), [passed]);
  assert.deepEqual(await find('parser-suite'), [passed]);
  assert.equal((await find('acme/site')).length, 2);
  assert.deepEqual(await find('parser-suite nowhere'), []);
});

test('a failed job has step, error line and group on the page of its run, without a connection to the forge', async () => {
  const team = await newTeam();
  await send(team, { id: 1, step: 'Run npm test' });
  const [failure] = await failuresOf(team, 1);
  assert.ok(failure);
  assert.deepEqual(failure.step, { number: 2, name: 'Run npm test' });
  assert.equal(failure.errorLine, 'Step Run npm test failed');
  assert.deepEqual([failure.log, failure.excerpts], ['no_connection', []]);
  assert.equal(failure.assessment?.kind, 'new_on_branch');
  const { body } = await team.viewer.call('GET', team.path('/workflows'));
  assert.equal(body.items[0]?.['errorLine'], 'Step Run npm test failed');
  const search = async (q: string) =>
    (await team.viewer.call('GET', team.path(`/workflows?q=${q}`))).body.items.length;
  assert.deepEqual([await search('NPM%20failed'), await search('npm%20passed')], [1, 0]);
});

test('equal failures form one group with its branches and trend', async () => {
  const team = await newTeam();
  await send(team, { id: 1, ago: 500 });
  await send(team, { id: 2, ago: 400, name: 'build (node 22)' });
  await send(team, { id: 3, ago: 300, branch: 'topic' });
  await send(team, { id: 4, ago: 200, step: 'Lint' });
  await send(team, { id: 5, ago: 600, branch: 'reported late' });
  const groups = await groupsOf(team);
  assert.deepEqual(
    groups.map(({ step, failures, branches }) => [step, failures, branches]),
    [
      ['Lint', 1, ['main']],
      ['Run tests', 4, ['topic', 'main', 'reported late']],
    ],
  );
  const { trend = [] } = groups[1] ?? {};
  assert.equal(trend.length, trendDays);
  assert.equal(
    trend.reduce((sum, count) => sum + count, 0),
    4,
  );
});

test('the trend counts the failures of each day, in whatever order they are reported', async () => {
  const team = await newTeam();
  const daysAgo = [5, 30, 0, 2, 2, 13, 14, 40, 0];
  for (const [index, days] of daysAgo.entries()) await send(team, { id: index + 1, ago: days * 86_400 });
  const [group] = await groupsOf(team);
  assert.ok(group);
  const { body } = await team.viewer.call('GET', team.path(`/failure-groups/${group.groupId}`));
  assert.ok(checks.group.Check(body));
  assert.equal(body.occurrences.length, daysAgo.length);
  const dayOf = (time: number) => Math.floor(time / 86_400_000);
  const trend = Array.from({ length: trendDays }, () => 0);
  for (const { failedAt } of body.occurrences) {
    const index = trendDays - 1 - (dayOf(Date.now()) - dayOf(Date.parse(failedAt)));
    if (index >= 0) trend[index] = (trend[index] ?? 0) + 1;
  }
  assert.deepEqual(group.trend, trend);
});

test('the assessment tells a failure of the default branch from one of the branch', async () => {
  const team = await newTeam();
  const kindOf = async (runId: number) => {
    const { kind, runs = null } = (await failuresOf(team, runId))[0]?.assessment ?? {};
    return [kind, runs];
  };
  await send(team, { id: 1, ago: 900, branch: 'topic' });
  await send(team, { id: 2, ago: 800, branch: 'topic' });
  assert.deepEqual(await kindOf(1), ['new_on_branch', null]);
  assert.deepEqual(await kindOf(2), ['branch', 2]);
  await send(team, { id: 3, ago: 700 });
  await send(team, { id: 4, ago: 600 });
  assert.deepEqual(await kindOf(2), ['branch', 2], 'the page of a run does not know what failed later');
  await send(team, { id: 5, ago: 550, branch: 'topic' });
  assert.deepEqual(await kindOf(5), ['default_branch', 2]);
  await send(team, { id: 6, ago: 500, conclusion: 'success' });
  await send(team, { id: 7, ago: 400, branch: 'topic' });
  assert.deepEqual(await kindOf(7), ['branch', 4], 'the default branch passes again');
  assert.deepEqual(await kindOf(5), ['default_branch', 2], 'it failed at that time');
  await send(team, { id: 8, ago: 300, branch: 'other' });
  const [elsewhere] = await failuresOf(team, 8);
  assert.deepEqual(
    [elsewhere?.assessment?.kind, elsewhere?.assessment?.otherBranches],
    ['other_branches', 1],
  );
});

test('a job that passes when it is re-run is flaky, and one that timed out is infrastructure', async () => {
  const team = await newTeam();
  for (const id of [1, 2, 3]) {
    await send(team, { id, runId: id, ago: id < 3 ? 900 - id : 700 });
    if (id < 3)
      await send(team, { id: id + 10, runId: id, attempt: 2, conclusion: 'success', ago: 800 - id });
  }
  const [failure] = await failuresOf(team, 3);
  assert.deepEqual(
    [failure?.assessment?.kind, failure?.assessment?.passedReruns, failure?.assessment?.reruns],
    ['flaky', 2, 2],
  );
  assert.deepEqual(await failuresOf(team, 1), [], 'the newest attempt passed');
  assert.equal((await failuresOf(team, 1, 1)).length, 1);
  await send(team, { id: 9, conclusion: 'timed_out', step: 'Deploy' });
  const [slow] = await failuresOf(team, 9);
  assert.deepEqual(
    [slow?.errorLine, slow?.assessment?.kind, slow?.assessment?.infrastructure],
    ['Step Deploy timed out', 'infrastructure', 'timeout'],
  );
});

test('another job whose cut name is the same says nothing about a job that fails again', async () => {
  const team = await newTeam();
  const name = `test (${'x'.repeat(91)}...`;
  for (const id of [1, 2])
    for (const attempt of [1, 2]) {
      const ago = 900 - 100 * id - 20 * attempt;
      await send(team, { id: 10 * id + attempt, runId: id, attempt, name, ago });
      const twin = { id: 100 * id + attempt, runId: id, attempt, name, ago: ago - 5 };
      await send(team, { ...twin, conclusion: 'success' });
    }
  await send(team, { id: 3, name, ago: 600 });
  const [failure] = await failuresOf(team, 3);
  const { kind, runs, since } = failure?.assessment ?? {};
  const [group] = await groupsOf(team);
  assert.deepEqual([kind, runs, since], ['branch', 3, group?.firstSeenAt]);
});

test('a group lists its failures and the commits between the last success and the first failure', async () => {
  const team = await newTeam();
  await send(team, { id: 1, ago: 900, conclusion: 'success' });
  for (const id of [2, 3]) await send(team, { id, ago: 900 - id * 100 });
  const [group] = await groupsOf(team);
  const { body } = await team.viewer.call('GET', team.path(`/failure-groups/${group?.groupId}`));
  assert.ok(checks.group.Check(body));
  assert.deepEqual(
    body.occurrences.map(({ runId, title }) => [runId, title]),
    [
      [3, 'Change 3'],
      [2, 'Change 2'],
    ],
  );
  assert.deepEqual([body.start?.lastGreen?.runId, body.start?.firstRed.runId], [1, 2]);
  const [green, red] = ['1', '2'].map((digit) => digit.padStart(40, '0'));
  assert.equal(body.start?.compareUrl, `https://forge.example.com/acme/site/compare/${green}...${red}`);
  refused(
    await team.viewer.call('GET', team.path(`/failure-groups/${team.integrationId}`)),
    404,
    'not_found',
  );
});

test('a member changes the status of a group, which the event log records, and silences it only if it names what failed', async () => {
  const team = await newTeam();
  await send(team, { id: 1 });
  const [group] = await groupsOf(team);
  const path = team.path(`/failure-groups/${group?.groupId}`);
  refused(await team.viewer.call('PATCH', path, { status: 'flaky' }), 403, 'insufficient_role');
  for (const status of ['flaky', 'ignored'])
    refused(await team.member.call('PATCH', path, { status }), 409, 'failure_not_specific');
  assert.equal((await team.member.call('PATCH', path, { status: 'acknowledged' })).status, 204);
  assert.equal((await groupsOf(team))[0]?.isSpecific, false);
  await makeGroupsSpecific(product.database, team.integrationId);
  refused(
    await team.member.call('PATCH', path, { status: 'flaky', until: '2030-01-01T00:00:00Z' }),
    400,
    'invalid_request',
  );
  const change = { status: 'ignored', until: '2030-01-01T00:00:00Z', note: 'Fixed in June' };
  assert.equal((await team.member.call('PATCH', path, change)).status, 204);
  const [ignored] = await groupsOf(team, '?status=ignored');
  assert.deepEqual(
    [ignored?.status, ignored?.ignoredUntil, ignored?.note, ignored?.statusBy?.userId],
    ['ignored', '2030-01-01T00:00:00.000Z', 'Fixed in June', team.member.userId],
  );
  assert.deepEqual(await groupsOf(team, '?status=open'), []);
  const past = { status: 'ignored', until: '2020-01-01T00:00:00Z' };
  assert.equal((await team.member.call('PATCH', path, past)).status, 204);
  assert.equal((await groupsOf(team, '?status=open')).length, 1);
  const entries = await product.entries(team.integrationId);
  assert.deepEqual(
    entries.filter(({ type }) => type === 'failure.status_changed').map(({ actorId }) => actorId),
    [team.member.userId, team.member.userId, team.member.userId],
  );
});

test('groups are filtered by error line, branch and workflow, and listed in pages', async () => {
  const team = await newTeam();
  await send(team, { id: 1, ago: 900, step: 'Compile 100%' });
  await send(team, { id: 2, ago: 800, step: 'Lint', branch: 'topic' });
  const steps = async (query: string) => (await groupsOf(team, query)).map(({ step }) => step);
  assert.deepEqual(await steps('?q=COMPILE%20100%25'), ['Compile 100%']);
  assert.deepEqual(await steps('?q=compile%20lint'), []);
  assert.deepEqual(await steps('?branch=topic'), ['Lint']);
  assert.deepEqual(await steps('?workflow=CI&repository=acme/site'), ['Lint', 'Compile 100%']);
  assert.deepEqual(await steps('?repository=acme/other'), []);
  const { body } = await team.viewer.call('GET', team.path('/failure-groups?limit=1'));
  assert.deepEqual(
    body.items.map((group) => group['step']),
    ['Lint'],
  );
  assert.deepEqual(await steps(`?cursor=${body.nextCursor}`), ['Compile 100%']);
});
