import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { failedRun, failureOf, reportRun, retryLogs } from '#test/support/forge/failed-log.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { failureAnnotation as annotation } from '#test/support/forge/forge-api-payloads.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const linked = await startLinkedProduct();
const { forge, product, newLinkedTeam } = linked;

const outOfTime = 'The job has exceeded the maximum execution time of 30m0s';

/** A linked team with a rule, and a run that the forge cancelled after half an hour. */
async function cancelledRun(name: string, { isLinked = true } = {}) {
  const repository = newRepository(`octo-org/${name}`);
  const team = await newLinkedTeam([repository], { linkNow: isLinked });
  if (isLinked) await team.provisioned();
  const rule = await team.admin.call('POST', team.path('/notification-rules'), ruleBody({}));
  assert.equal(rule.status, 201);
  const failed = failedRun(repository);
  const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString();
  const times = { started_at: at(1_900), completed_at: at(100) };
  Object.assign(failed.run.attempts[0]!, {
    conclusion: 'cancelled',
    created_at: at(1_910),
    run_started_at: at(1_910),
    updated_at: at(99),
  });
  Object.assign(failed.job, {
    ...times,
    conclusion: 'cancelled',
    steps: [{ number: 1, name: 'Run ./story.sh', status: 'completed', conclusion: 'cancelled', ...times }],
  });
  const report = () => reportRun(linked, team, repository, failed);
  const detail = async () =>
    (await team.viewer.call('GET', team.path(`/workflows/${failed.run.id}`)))
      .body as unknown as WorkflowRunDetail;
  const conclusions = async () => {
    const { run, jobs } = await detail();
    return [run?.conclusion, ...(jobs ?? []).map(({ conclusion }) => conclusion)].join(' ');
  };
  const wall = async () =>
    ((await team.viewer.call('GET', team.path('/wallboard'))).body as unknown as Wall).tiles.map(
      ({ state }) => state,
    );
  const incidents = async () =>
    (await team.viewer.call('GET', team.path('/incidents?status=open'))).body['items'] as Incident[];
  const asked = () => forge.calls.filter((call) => call.includes(`/check-runs/${failed.job.id}/`)).length;
  return { repository, team, failed, report, conclusions, wall, incidents, asked };
}

test('a job that exceeded its time limit is timed out everywhere, and so is its run', async () => {
  const { repository, team, failed, report, conclusions, wall, incidents } = await cancelledRun('limit');
  repository.annotations.set(failed.job.id, [annotation(outOfTime)]);
  repository.logs.set(failed.job.id, '2026-11-20T12:00:02.0000000Z ##[error]The operation was canceled.');
  await report();
  await waitUntil('the conclusions', async () => (await conclusions()) === 'timed_out timed_out');
  assert.deepEqual(await wall(), ['failed']);
  const [incident] = await waitUntil('the incident', async () => {
    const open = await incidents();
    return open.length > 0 && open;
  });
  assert.equal(incident?.lastFailure.conclusion, 'timed_out');
  const failure = await waitUntil('the reason', async () => {
    const found = await failureOf(team, failed.run.id);
    return found?.log === 'read' && found;
  });
  assert.equal(failure.assessment?.infrastructure, 'timeout');
  assert.match(failure.errorLine, /exceeded the maximum execution time/);
  const { body } = await team.viewer.call('GET', team.path('/overview'));
  assert.match(JSON.stringify(body), /"failed":1/);
  const entries = await product.entries(team.integrationId);
  assert.ok(entries.some(({ title }) => /timed out/.test(title)));
  // The forge repeats what it said first, with a new delivery.
  await report();
  await waitUntil('both to be processed', async () => {
    const { body: page } = await team.viewer.call('GET', team.path('/deliveries'));
    const items = page['items'] as { verdict: string }[];
    return items.filter(({ verdict }) => verdict === 'stale').length === 2;
  });
  assert.equal(await conclusions(), 'timed_out timed_out');
});

test('a run that ends after the limit of its job was found out is timed out', async () => {
  const { repository, failed, report, conclusions } = await cancelledRun('limit-first');
  repository.annotations.set(failed.job.id, [annotation(outOfTime)]);
  const [attempt] = failed.run.attempts;
  failed.run.attempts[0] = { ...attempt, status: 'in_progress', conclusion: null };
  await report();
  await waitUntil('the conclusion of the job', async () => (await conclusions()) === ' timed_out');
  failed.run.attempts[0] = attempt!;
  await report();
  await waitUntil('the conclusion of the run', async () => (await conclusions()) === 'timed_out timed_out');
});

test('a job that a person cancelled stays cancelled, and is asked about once', async () => {
  const { repository, team, failed, report, conclusions, incidents, asked } = await cancelledRun('person');
  repository.annotations.set(failed.job.id, [annotation('The operation was canceled.')]);
  await report();
  await waitUntil('the annotations to be read', () => asked() > 0);
  await retryLogs(product.database, team.integrationId);
  await waitUntil('nothing to be pending', async () => {
    const rows = await product.database.asOwner(
      'select from pending_failures where group_id = $1 union all select from pending_conclusions where group_id = $1',
      [team.integrationId],
    );
    return rows.length === 0;
  });
  assert.equal(await conclusions(), 'cancelled cancelled');
  assert.deepEqual(await incidents(), []);
  assert.equal(asked(), 1);
});

test('without a connection to the forge a cancelled job stays cancelled', async () => {
  const { report, team, conclusions } = await cancelledRun('apart', { isLinked: false });
  await report();
  await waitUntil('the run', async () => (await conclusions()) === 'cancelled cancelled');
  const pending = await product.database.asOwner('select from pending_failures where group_id = $1', [
    team.integrationId,
  ]);
  assert.deepEqual(pending, []);
});
