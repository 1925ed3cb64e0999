import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Metrics, type MetricNumbers, type MetricsQuery } from '#contract/metrics.ts';
import { Overview, type OverviewRange } from '#contract/overview.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import {
  at,
  epoch,
  eventOf,
  integrationId,
  jobPayload,
  pullRequestPayload,
  runPayload,
} from '#test/support/forge-events.ts';
import { createMonitoringStore } from '#test/support/monitoring-store.ts';
import { Compile } from 'typebox/compile';
import { joinBlocks } from './join-blocks.ts';
import { KeptSums } from './kept-sums.ts';
import { readMetrics } from './read-metrics.ts';
import { readOverview } from './read-overview.ts';
import { dayMs } from './time-span.ts';

const { database, record, empty } = await createMonitoringStore();

const now = epoch + 6 * dayMs;
const deps = { db: database.worker, lock: async () => {} };
let kept = new KeptSums();
const checkMetrics = Compile(Metrics);
const checkOverview = Compile(Overview);

async function metrics(query: MetricsQuery = {}): Promise<Metrics> {
  const answer = await database.api.withScope({ integrationId }, (tx) =>
    readMetrics(tx, integrationId, query, now, kept),
  );
  assert.ok(checkMetrics.Check(answer), JSON.stringify([...checkMetrics.Errors(answer)]));
  return answer;
}

async function overview(range: OverviewRange): Promise<Overview> {
  const answer = await database.api.withScope({ integrationId }, (tx) =>
    readOverview(tx, integrationId, range, now, kept),
  );
  assert.ok(checkOverview.Check(answer), JSON.stringify([...checkOverview.Errors(answer)]));
  return answer;
}

async function emptyAll(): Promise<void> {
  kept = new KeptSums();
  await empty();
  await database.asOwner('delete from rollup_blocks');
  await database.asOwner('delete from rollup_progress');
  await database.asOwner('delete from rollup_gaps');
}

const conclusion = fc.constantFrom('success', 'failure', 'timed_out', 'cancelled', 'skipped', 'neutral');
const completion = fc.record({
  id: fc.integer({ min: 1, max: 30 }),
  attempt: fc.integer({ min: 1, max: 2 }),
  repository: fc.constantFrom('acme/site', 'acme/api'),
  name: fc.constantFrom('CI', 'Deploy'),
  branch: fc.constantFrom('main', 'topic'),
  conclusion,
  startSeconds: fc.integer({ min: 0, max: 5 * 86_400 }),
  queuedSeconds: fc.integer({ min: 0, max: 900 }),
  seconds: fc.integer({ min: 0, max: 7200 }),
  labels: fc.constantFrom(['linux'], ['linux', 'x64']),
});
type Completion = ReturnType<typeof completion.generate>['value'];

function runOf(
  { id, attempt, repository, name, branch, startSeconds, seconds, ...rest }: Completion,
  more: object = {},
) {
  const fields = {
    id,
    run_attempt: attempt,
    name,
    head_branch: branch,
    status: 'completed',
    conclusion: rest.conclusion,
    run_started_at: at(startSeconds),
    updated_at: at(startSeconds + seconds),
    ...more,
  };
  return eventOf('workflow_run', runPayload(fields, repo(repository)));
}

function jobOf({ id, attempt, repository, name, branch, startSeconds, seconds, ...rest }: Completion) {
  const fields = {
    id: id * 10 + attempt,
    run_id: id,
    run_attempt: attempt,
    workflow_name: name,
    head_branch: branch,
    status: 'completed',
    conclusion: rest.conclusion,
    created_at: at(startSeconds - rest.queuedSeconds),
    started_at: at(startSeconds),
    completed_at: at(startSeconds + seconds),
    labels: rest.labels,
    runner_name: 'one',
  };
  return eventOf('workflow_job', jobPayload(fields, repo(repository)));
}

function repo(name: string) {
  return { repository: { id: 7, full_name: name, default_branch: 'main' } };
}

interface Row {
  conclusion: string;
  attempt: number;
  duration: number;
  queue: number | null;
}

/** The same numbers from the rows themselves. */
async function fromRows(where: string): Promise<{ runs: Row[]; jobs: Row[] }> {
  const columns = `conclusion, attempt, greatest(0, extract(epoch from completed_at - started_at) * 1000)::float8 as duration`;
  const runs = await database.asOwner<Row>(
    `select ${columns}, null as queue from (
       select conclusion, attempt, started_at, completed_at, repository, workflow_name, on_default_branch, status from workflow_runs
       union all
       select conclusion, attempt, started_at, completed_at, repository, workflow_name, on_default_branch, status from workflow_run_attempts) a
     where status = 'completed' and ${where}`,
  );
  const jobs = await database.asOwner<Row>(
    `select ${columns}, greatest(0, extract(epoch from started_at - created_at) * 1000)::float8 as queue
     from workflow_jobs where status = 'completed' and ${where}`,
  );
  return { runs, jobs };
}

function assertSame(numbers: MetricNumbers, { runs, jobs }: { runs: Row[]; jobs: Row[] }): void {
  const measured = (list: Row[]) =>
    list.filter((row) => row.conclusion !== 'cancelled' && row.conclusion !== 'skipped');
  const succeeded = runs.filter((row) => row.conclusion === 'success').length;
  const failed = runs.filter((row) => ['failure', 'timed_out'].includes(row.conclusion)).length;
  assert.deepEqual(
    [numbers.runs, numbers.succeeded, numbers.failed, numbers.reruns],
    [runs.length, succeeded, failed, runs.filter((row) => row.attempt > 1).length],
  );
  assert.equal(numbers.successRate, succeeded + failed === 0 ? null : succeeded / (succeeded + failed));
  const minutes = jobs.map((row) => (row.conclusion === 'skipped' ? 0 : Math.ceil(row.duration / 60_000)));
  assert.equal(
    numbers.billableMinutes,
    minutes.reduce((sum, count) => sum + count, 0),
  );
  const durations = measured(runs).map((row) => row.duration);
  assertClose(numbers.durationP50Ms, durations, 0.5);
  assertClose(numbers.durationP95Ms, durations, 0.95);
  const queueTimes = measured(jobs).map((row) => row.queue ?? 0);
  assertClose(numbers.queueP50Ms, queueTimes, 0.5);
  assertClose(numbers.queueP95Ms, queueTimes, 0.95);
}

function assertClose(answered: number | null, values: number[], quantile: number): void {
  const exact = values.toSorted((a, b) => a - b)[Math.ceil(values.length * quantile) - 1] ?? null;
  if (exact === null || answered === null) return assert.equal(answered, exact);
  assert.ok(Math.abs(answered - exact) <= exact * 0.05, `${answered} for ${exact}`);
}

test('numbers from rollups are those of the rows, percentiles within 5 %, whenever hours are added up', async () => {
  const batch = fc.array(completion, { minLength: 1, maxLength: 12 });
  const span = { from: at(-86_400), to: at(6 * 86_400) };
  const scenario = fc.array(fc.record({ batch, joins: fc.boolean() }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(scenario, async (parts) => {
      await emptyAll();
      for (const { batch: list, joins } of parts) {
        await record(...list.flatMap((item) => [runOf(item), jobOf(item)]));
        if (joins) while ((await joinBlocks(deps, integrationId, now)) > 0);
        assertSame((await metrics(span)).total, await fromRows('true'));
      }
      const answer = await metrics({ ...span, groupBy: 'workflow' });
      assertSame(answer.total, await fromRows('true'));
      for (const group of answer.groups) {
        assertSame(
          group,
          await fromRows(`repository = '${group.repository}' and workflow_name = '${group.workflow}'`),
        );
      }
      assert.equal(
        answer.series.reduce((sum, { runs }) => sum + runs, 0),
        answer.total.runs,
      );
      const onMain = await metrics({ ...span, branch: 'default', repository: 'acme/site' });
      assertSame(onMain.total, await fromRows(`on_default_branch and repository = 'acme/site'`));
      const byHour = await metrics({ from: at(86_400), to: at(2 * 86_400), granularity: 'hour' });
      const bounds = `completed_at >= '${byHour.from}' and completed_at < '${byHour.to}'`;
      assertSame(byHour.total, await fromRows(bounds));
    }),
    { numRuns: 25 },
  );
});

test('a late event leaves a gap in what is added up, which the next duty mends', async () => {
  await emptyAll();
  const one: Completion = {
    id: 1,
    attempt: 1,
    repository: 'acme/site',
    name: 'CI',
    branch: 'main',
    conclusion: 'success',
    startSeconds: 0,
    queuedSeconds: 0,
    seconds: 60,
    labels: ['linux'],
  };
  await record(runOf(one));
  while ((await joinBlocks(deps, integrationId, now)) > 0);
  assert.equal((await metrics({ from: at(0) })).total.runs, 1);
  await record(runOf({ ...one, id: 2 }));
  assert.equal((await metrics({ from: at(0) })).total.runs, 2);
  assert.equal(await joinBlocks(deps, integrationId, now), 1);
  assert.equal((await metrics({ from: at(0) })).total.runs, 2);
  assert.equal(await joinBlocks(deps, integrationId, now), 0);
  const blocks = await database.asOwner<{ hours: number; count: string }>(
    `select hours, count from rollup_blocks where kind = 'run' order by hours`,
  );
  assert.deepEqual(
    blocks.map(({ hours, count }) => [hours, count]),
    [
      [6, '2'],
      [24, '2'],
      [168, '2'],
    ],
  );
});

const base: Completion = {
  id: 1,
  attempt: 1,
  repository: 'acme/site',
  name: 'CI',
  branch: 'main',
  conclusion: 'success',
  startSeconds: 5 * 86_400,
  queuedSeconds: 30,
  seconds: 60,
  labels: ['linux'],
};

test('failures, flaky jobs, minutes by label, busiest runners and lead times', async () => {
  await emptyAll();
  const [first, second] = [
    { ...base, conclusion: 'failure' } as const,
    { ...base, attempt: 2, startSeconds: base.startSeconds + 100 },
  ];
  const merged = { created_at: at(86_400), merged_at: at(86_400 + 600), updated_at: at(86_400 + 600) };
  await record(
    runOf(first),
    runOf(second),
    jobOf(first),
    jobOf(second),
    eventOf('pull_request', pullRequestPayload({ number: 9, merged: true, state: 'closed', ...merged })),
  );
  const answer = await metrics();
  assert.deepEqual(answer.failures.workflows, [
    { repository: 'acme/site', workflow: 'CI', job: null, failed: 1, runs: 2 },
  ]);
  assert.equal(answer.failures.jobs[0]?.job, 'build');
  assert.deepEqual(
    answer.flakyJobs.map(({ job, flips, lastRunId }) => [job, flips, lastRunId]),
    [['build', 1, 1]],
  );
  assert.deepEqual(answer.billable, [{ runner: 'linux', jobs: 2, billableMinutes: 2 }]);
  assert.deepEqual(answer.runners, [{ runner: 'one', jobs: 2, busyMs: 120_000 }]);
  assert.deepEqual(answer.leadTime, { merged: 1, p50Ms: 600_000, p95Ms: 600_000 });
  const byRunner = await metrics({ groupBy: 'runner' });
  assert.deepEqual(
    byRunner.groups.map(({ runner, runs }) => [runner, runs]),
    [['linux', 2]],
  );
});

test('a re-run is compared with the last attempt that ran the job through', async () => {
  await emptyAll();
  const attempts = ['failure', 'skipped', 'success', 'success', 'cancelled', 'failure'] as const;
  await record(
    ...attempts.map((conclusion, index) =>
      jobOf({ ...base, conclusion, attempt: index + 1, startSeconds: base.startSeconds + index * 100 }),
    ),
  );
  const { flakyJobs } = await metrics();
  assert.deepEqual(
    flakyJobs.map(({ job, flips }) => [job, flips]),
    [['build', 2]],
  );
});

test('the overview says what is red since when, against the time before, and the last runs', async () => {
  await emptyAll();
  const day = 86_400;
  const on = (id: number, startDay: number, fields: Partial<Completion>) =>
    runOf({ ...base, id, startSeconds: startDay * day, ...fields });
  const created = (id: number, startDay: number, fields: Partial<Completion>) => {
    const event = on(id, startDay, fields);
    assert.ok(event.type === 'workflow_run');
    return {
      ...event,
      run: { ...event.run, createdAt: epoch + startDay * dayMs, triggeringActor: `actor ${id}` },
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
  );
  const week = await overview('7d');
  assert.equal(week.series.length, 168);
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
      firstRunId: 2,
      firstActor: 'actor 2',
      lastRunId: 5,
      conclusion: 'timed_out',
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

test("jobs of a fork's branch that is called as ours do not count as ours, whichever comes first", async () => {
  const fork = { id: 8, full_name: 'bob/site' };
  const failed = { ...base, conclusion: 'failure' } as const;
  const { completed, begun, job, own } = {
    completed: runOf(failed, { head_repository: fork }),
    begun: runOf(failed, { head_repository: fork, status: 'in_progress', updated_at: at(0) }),
    job: jobOf(failed),
    own: [runOf({ ...failed, id: 2 }), jobOf({ ...failed, id: 2 })],
  };
  for (const batches of [
    [[completed, job]],
    [[completed], [job]],
    [[job], [begun], [completed]],
    [[job, completed]],
  ]) {
    await emptyAll();
    await record(...own);
    for (const batch of batches) await record(...batch);
    const { total, failures } = await metrics({ branch: 'default' });
    assert.deepEqual([total.runs, total.billableMinutes], [1, 1]);
    assert.deepEqual([failures.workflows[0]?.failed, failures.jobs[0]?.failed], [1, 1]);
    assert.equal((await metrics()).total.billableMinutes, 2);
  }
});

test('a run has no duration in the overview until it ended', async () => {
  await emptyAll();
  const begun = { id: 2, name: 'CI', status: 'in_progress', run_started_at: at(base.startSeconds) };
  await record(runOf(base), eventOf('workflow_run', runPayload(begun)));
  const [ci] = (await overview('7d')).workflows;
  assert.deepEqual(
    ci?.lastRuns.map(({ runId, durationMs }) => [runId, durationMs]),
    [
      [2, null],
      [1, 60_000],
    ],
  );
});

test('a span that is no span, or too long, is refused by name', async () => {
  for (const query of [
    { from: at(10), to: at(0) },
    { from: '2001-01-01T00:00:00Z' },
    { from: at(-40 * 86_400), granularity: 'hour' },
  ] satisfies MetricsQuery[]) {
    await assert.rejects(metrics(query), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.errors?.[0]?.field, 'from');
      return true;
    });
  }
  assert.equal((await metrics({ from: at(0), to: at(3600), granularity: 'hour' })).series.length, 2);
});
