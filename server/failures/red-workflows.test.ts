import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { IncidentPage, type Incident } from '#contract/alerts/incidents.ts';
import { assessmentText } from '#contract/failures/assessment-text.ts';
import { Overview, type Attention } from '#contract/metrics/overview.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { postFailedJob, type FailedJobFacts } from '#test/support/data/failed-job.ts';
import { failedRun, reportRun, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository, newRun } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import type { Team } from '#test/support/team/team.ts';
import { makeGroupsSpecific } from '#test/support/database/specific-groups.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const linked = await startLinkedProduct();
const { product, newLinkedTeam } = linked;
const isOverview = Compile(Overview);
const isPage = Compile(IncidentPage);

const send = (team: Team, facts: FailedJobFacts) => postFailedJob(product.baseUrl, team, facts);

async function attentionOf(team: Pick<Team, 'viewer' | 'path'>): Promise<Attention[]> {
  const { body } = await team.viewer.call('GET', team.path('/overview'));
  assert.ok(isOverview.Check(body), JSON.stringify([...isOverview.Errors(body)]));
  return body.needsAttention;
}

const untilRed = (team: Pick<Team, 'viewer' | 'path'>, condition: (row: Attention) => boolean) =>
  waitUntil('a red workflow', async () => (await attentionOf(team)).find(condition));

async function incidentsOf(team: Team): Promise<Incident[]> {
  const { body } = await team.viewer.call('GET', team.path('/incidents'));
  assert.ok(isPage.Check(body));
  return body.items;
}

/** The assessment as people read it, without the day. */
const judged = ({ failing }: Pick<Attention, 'failing'>): string | undefined =>
  failing?.assessment ? assessmentText(failing.assessment, () => 'a day') : undefined;

test('the overview says which job, step, commit and author made a workflow red without a rule', async () => {
  const team = await product.newTeam();
  await send(team, { id: 1, ago: 900, conclusion: 'success' });
  await send(team, { id: 2, ago: 800 });
  await send(team, { id: 3, ago: 700, name: 'lint', step: 'Lint' });
  await send(team, { id: 4, ago: 600 });
  const red = await untilRed(team, (row) => judged(row) === 'Failing on main since a day, 2 runs');
  const { firstBad, lastGreen, failing, failures } = red;
  assert.equal(failures, 3);
  assert.deepEqual(firstBad, { runId: 2, sha: '2'.padStart(40, '0'), title: 'Change 2', actor: 'ann' });
  assert.deepEqual([lastGreen?.runId, lastGreen?.sha], [1, '1'.padStart(40, '0')]);
  assert.deepEqual([failing?.job, failing?.step, failing?.jobs], ['build', 'Run tests', 1]);
  // The log was not read, and the step says the same.
  assert.equal(failing?.errorLine, null);
});

test('a workflow needs attention while its only failed run is run again, and when the re-run is cancelled', async () => {
  const team = await product.newTeam();
  const attempt = (number: number, facts: Partial<FailedJobFacts>) =>
    send(team, { id: number, runId: 1, attempt: number, ago: 900 - number * 100, ...facts });
  await attempt(1, {});
  await attempt(2, { conclusion: 'cancelled' });
  await untilRed(team, ({ lastRunId, failures }) => lastRunId === 1 && failures === 1);
  const { body } = await team.viewer.call('GET', team.path('/workflows/1'));
  assert.equal((body['run'] as { conclusion: string }).conclusion, 'cancelled');
  await attempt(3, { conclusion: 'success' });
  await waitUntil('no red workflow', async () => (await attentionOf(team)).length === 0);
});

test('an incident of another branch has the same facts and assessment as the page of its run', async () => {
  const team = await product.newTeam();
  await team.owner.call('POST', team.path('/notification-rules'), ruleBody({ events: ['run'] }));
  await send(team, { id: 1, ago: 900, branch: 'topic', conclusion: 'success' });
  await send(team, { id: 2, ago: 800 });
  await send(team, { id: 3, ago: 700, branch: 'topic' });
  const [incident] = await waitUntil('the incident', async () => {
    const topic = (await incidentsOf(team)).filter(({ branch }) => branch === 'topic');
    const text = 'Also failing on the default branch since a day, 1 run';
    return topic.some((one) => judged(one) === text) && topic;
  });
  assert.ok(incident);
  assert.deepEqual([incident.firstBad?.runId, incident.lastGreen?.runId], [3, 1]);
  const { body } = await team.viewer.call('GET', team.path('/workflows/3/failures'));
  assert.deepEqual(body.items[0]?.['assessment'], incident.failing?.assessment);
});

test('the odds of a flaky job are on the overview, and a mark of a member too', async () => {
  const team = await product.newTeam();
  for (const id of [1, 2]) {
    await send(team, { id, runId: id, ago: 900 - id * 10 });
    await send(team, { id: id + 10, runId: id, attempt: 2, conclusion: 'success', ago: 895 - id * 10 });
  }
  await send(team, { id: 3, ago: 700 });
  await untilRed(team, (row) => judged(row) === 'Flaky: passed on re-run 2 of 2 times');
  await send(team, { id: 4, ago: 600, name: 'lint', step: 'Lint' });
  await untilRed(team, (row) => judged(row) === 'New on this branch');
  await makeGroupsSpecific(product.database, team.integrationId);
  const { body } = await team.viewer.call('GET', team.path('/failure-groups?q=lint'));
  const path = team.path(`/failure-groups/${String(body.items[0]?.['groupId'])}`);
  assert.equal((await team.member.call('PATCH', path, { status: 'flaky' })).status, 204);
  await send(team, { id: 5, ago: 500, name: 'lint', step: 'Lint' });
  await untilRed(team, (row) => row.lastRunId === 5 && judged(row) === 'Known flaky');
});

test('the error line of a red workflow without an incident is on the overview when its log was read', async () => {
  const repository = newRepository('octo-org/why');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const green = newRun(repository, new Date(Date.now() - 900_000));
  repository.runs = [green];
  const failed = failedRun(repository);
  repository.logs.set(failed.job.id, '2026-11-20T12:00:02.0000000Z ##[error]expected 3 but got 4');
  await reportRun(linked, team, repository, { run: green, job: green.jobs[0] as { id: number } & object });
  await reportRun(linked, team, repository, failed);
  await untilLogIs(team, failed.run.id, 'read');
  const { failing } = await untilRed(team, (row) => typeof row.failing?.errorLine === 'string');
  assert.match(failing?.errorLine ?? '', /expected 3 but got 4/);
  assert.deepEqual([failing?.job, failing?.step], ['build', 'Run npm test']);
});
