import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greenBuild, runOf, type Completion } from '#test/support/data/completions.ts';
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
  assert.deepEqual(week.runs, { value: 6, comparable: null, previous: null });
  assert.deepEqual(week.successRate, { value: 3 / 5, comparable: null, previous: null });
  assert.deepEqual(week.failingWorkflows, { value: 1, comparable: null, previous: null });
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
      candidates: [{ runId: 2, sha: commitOf(2), title: 'Run 2', actor: 'actor 2' }],
      noBlame: null,
      repositoryUrl: null,
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
  assert.deepEqual(day1.runs, { value: 2, comparable: 2, previous: 0 });
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

/** Runs of a workflow, each an hour after the one before. */
const hourly = (count: number, startDay: number, fields: Partial<Completion> & { id: number }) =>
  Array.from({ length: count }, (_, place) =>
    runOf({
      ...greenBuild,
      ...fields,
      id: fields.id + place,
      startSeconds: startDay * 86_400 + place * 3600,
    }),
  );
const isAbout = (ms: number | null, seconds: number): boolean => Math.abs((ms ?? 0) / seconds - 1000) <= 50;
const older = runOf({ ...greenBuild, id: 9000, name: 'Old', startSeconds: -60 * 86_400 });

test('the overview compares durations of the same workflows, as often as they run in this period', async () => {
  await emptyAll();
  await record(
    older,
    ...hourly(10, 1, { id: 100, seconds: 120 }),
    ...hourly(20, -6, { id: 200, seconds: 100 }),
    // A nightly of an hour fell into the period before only, and a new workflow into this one.
    ...hourly(10, -6, { id: 300, name: 'Nightly', seconds: 3600 }),
    ...hourly(10, 1, { id: 400, name: 'New', seconds: 900, conclusion: 'failure' }),
  );
  const { durationP95Ms, successRate, runs } = await overview('7d');
  assert.ok(isAbout(durationP95Ms.value, 900), JSON.stringify(durationP95Ms));
  assert.ok(isAbout(durationP95Ms.comparable, 120) && isAbout(durationP95Ms.previous, 100));
  assert.deepEqual(successRate, { value: 0.5, comparable: 1, previous: 1 });
  assert.deepEqual(runs, { value: 20, comparable: 20, previous: 30 });
});

test('a workflow that runs more often than before counts as often in what it is compared with', async () => {
  await emptyAll();
  await record(
    older,
    ...hourly(50, 1, { id: 100, seconds: 60 }),
    ...hourly(50, 1, { id: 200, name: 'Slow', seconds: 600 }),
    ...hourly(95, -6, { id: 300, seconds: 60 }),
    ...hourly(5, -6, { id: 500, name: 'Slow', seconds: 600, conclusion: 'failure' }),
  );
  const { durationP95Ms, successRate } = await overview('7d');
  assert.equal(durationP95Ms.comparable, durationP95Ms.previous);
  assert.deepEqual(successRate, { value: 1, comparable: 1, previous: 0.5 });
});

test('nothing is compared with a period before the first data', async () => {
  await emptyAll();
  await record(...hourly(10, 1, { id: 100 }), ...hourly(10, -3, { id: 200 }));
  assert.deepEqual((await overview('7d')).runs, { value: 10, comparable: null, previous: null });
  await record(older);
  assert.deepEqual((await overview('7d')).runs, { value: 10, comparable: 10, previous: 10 });
});

test('the days of the overview are those of the time zone', async () => {
  await emptyAll();
  // 12:00 UTC of the fifth day is 01:00 of the sixth in Auckland.
  await record(runOf({ ...greenBuild, startSeconds: 5 * 86_400 + 2 * 3600 }));
  const dayOf = async (timeZone?: string) => {
    const { series } = await overview('7d', timeZone);
    return series.findIndex(({ succeeded }) => succeeded === 1);
  };
  assert.deepEqual([await dayOf(), await dayOf('Pacific/Auckland')], [5, 6]);
  assert.equal((await overview('7d', 'Pacific/Auckland')).series.at(-1)?.at, '2026-01-10T11:00:00.000Z');
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
  assert.deepEqual(await attention(), [199, undefined, undefined, true]);
  await record(...failed(201));
  assert.deepEqual(await attention(), [200, undefined, undefined, false]);
  await record(runOf({ ...greenBuild, id: 201 }));
  assert.deepEqual(await attention(), [101, undefined, 201, true], 'the same commit passed before');
});
