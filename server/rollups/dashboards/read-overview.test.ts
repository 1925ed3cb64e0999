import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figure } from '#contract/metrics/overview.ts';
import { greenBuild, jobOf, runOf, type Completion } from '#test/support/data/completions.ts';
import { epoch, at, eventOf, runPayload } from '#test/support/data/forge-events.ts';
import { createMetricsReader } from '#test/support/data/reading/metrics-reader.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

const { record, overview, emptyAll } = await createMetricsReader();
const commitOf = (id: number): string => String(id).padStart(40, '0');

test('the overview contains red workflows, the previous period and the last runs', async () => {
  await emptyAll();
  const day = 86_400;
  const on = (id: number, startDay: number, fields: Partial<Completion>) =>
    runOf({ ...greenBuild, id, startSeconds: startDay * day, ...fields });
  const created = (id: number, startDay: number, fields: Partial<Completion>) => {
    const event = on(id, startDay, fields);
    assert.ok(event.type === 'workflow_run');
    return {
      ...event,
      row: {
        ...event.row,
        createdAt: epoch + startDay * dayMs,
        actor: `actor ${id}`,
        headSha: commitOf(id),
        title: `Run ${id}`,
      },
    };
  };
  await record(
    created(1, 1, { conclusion: 'success' }),
    created(2, 2, { conclusion: 'failure' }),
    created(3, 3, { conclusion: 'success', branch: 'topic' }),
    created(4, 4, { conclusion: 'cancelled' }),
    created(5, 5.5, { conclusion: 'timed_out' }),
    created(6, 5.6, { conclusion: 'success', name: 'Deploy' }),
    eventOf(
      'workflow_run',
      runPayload({ id: 7, status: 'in_progress', created_at: new Date().toISOString() }),
    ),
    eventOf('workflow_run', runPayload({ id: 8, status: 'queued', created_at: new Date().toISOString() })),
    // Started more than 35 days ago: its completion was lost.
    eventOf('workflow_run', runPayload({ id: 9, status: 'in_progress', created_at: at(0) })),
  );
  const week = await overview('7d');
  assert.equal(week.series.length, 7);
  assert.deepEqual(week.runs, { value: 6, previous: 0 });
  assert.deepEqual(week.successRate, { value: 3 / 5, previous: null });
  assert.deepEqual(week.failingWorkflows, { value: 1, previous: 0 });
  assert.deepEqual(week.runningNow, { running: 1, waiting: 1 });
  assert.deepEqual(week.needsAttention, [
    {
      repository: 'acme/site',
      workflow: 'CI',
      branch: 'main',
      since: new Date(epoch + 2 * dayMs).toISOString(),
      sinceIsKnown: true,
      failures: 2,
      lastRunId: 5,
      conclusion: 'timed_out',
      failing: null,
      firstBad: { runId: 2, sha: commitOf(2), title: 'Run 2', actor: 'actor 2' },
      lastGreen: { runId: 1, sha: commitOf(1), at: new Date(epoch + dayMs).toISOString() },
    },
  ]);
  const ci = week.workflows.find(({ workflow }) => workflow === 'CI');
  assert.deepEqual(
    ci?.lastRuns.map(({ runId }) => runId),
    [5, 4, 3, 2, 1],
  );
  const day1 = await overview('24h');
  assert.equal(day1.series.length, 24);
  assert.equal(day1.granularity, 'hour');
  assert.deepEqual(day1.runs, { value: 2, previous: 0 });
  const quarter = await overview('90d');
  assert.deepEqual([quarter.series.length, quarter.granularity, quarter.runs.value], [90, 'day', 6]);
});

test('the overview lists the workflow that is red for longest first', async () => {
  await emptyAll();
  const failed = (id: number, name: string) =>
    runOf({ ...greenBuild, id, name, conclusion: 'failure' }, { created_at: at(id) });
  await record(failed(2, 'Deploy'), failed(1, 'CI'), failed(3, 'Lint'));
  const { needsAttention } = await overview('7d');
  assert.deepEqual(
    needsAttention.map(({ workflow }) => workflow),
    ['CI', 'Deploy', 'Lint'],
  );
});

test('the overview compares queue times and durations with the previous period', async () => {
  await emptyAll();
  const now = { ...greenBuild, queuedSeconds: 60, seconds: 600 };
  const before = { ...greenBuild, id: 2, startSeconds: -2 * 86_400, queuedSeconds: 10, seconds: 100 };
  await record(...[now, before].flatMap((each) => [runOf(each), jobOf(each)]));
  const { queueP95Ms, durationP95Ms } = await overview('7d');
  const isAbout = ({ value, previous }: Figure, seconds: number, secondsBefore: number): boolean =>
    Math.abs((value ?? 0) / seconds - 1000) <= 50 && Math.abs((previous ?? 0) / secondsBefore - 1000) <= 50;
  assert.ok(isAbout(queueP95Ms, 60, 10), JSON.stringify(queueP95Ms));
  assert.ok(isAbout(durationP95Ms, 600, 100), JSON.stringify(durationP95Ms));
});

test('the last runs of a workflow include an open run', async () => {
  await emptyAll();
  const begun = { id: 2, name: 'CI', status: 'in_progress', run_started_at: at(greenBuild.startSeconds) };
  await record(runOf(greenBuild), eventOf('workflow_run', runPayload(begun)));
  const [ci] = (await overview('7d')).workflows;
  assert.deepEqual(
    ci?.lastRuns.map(({ runId, status, conclusion }) => [runId, status, conclusion]),
    [
      [2, 'in_progress', null],
      [1, 'completed', 'success'],
    ],
  );
});

test('a workflow without a green run is red since the oldest of its 200 last runs, or earlier', async () => {
  await emptyAll();
  const failed = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      runOf({ ...greenBuild, id: 2 * index + 2, conclusion: 'failure' }),
    );
  const attention = async () => {
    const [red] = (await overview('30d')).needsAttention;
    return [red?.failures, red?.firstBad?.runId, red?.lastGreen?.runId, red?.sinceIsKnown];
  };
  await record(...failed(199));
  assert.deepEqual(await attention(), [199, 2, undefined, true]);
  await record(...failed(201));
  assert.deepEqual(await attention(), [200, undefined, undefined, false]);
  await record(runOf({ ...greenBuild, id: 201 }));
  assert.deepEqual(await attention(), [101, 202, 201, true]);
});
