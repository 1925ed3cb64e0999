import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import * as fc from 'fast-check';
import type { MetricGroup, MetricNumbers } from '#contract/metrics/metrics.ts';
import { greenBuild, jobOf, runOf } from '#test/support/data/completions.ts';
import { at, epoch, integrationId } from '#test/support/data/forge-events.ts';
import { readRows } from '#test/support/database/rows.ts';
import { createMetricsReader } from '#test/support/data/reading/metrics-reader.ts';
import { floor } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

const { database, record, metrics, addUp, emptyAll } = await createMetricsReader();

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
interface Stored {
  repository: string;
  workflow_name: string;
  on_default_branch: boolean;
  conclusion: string;
  attempt: number;
  created_at: Date;
  started_at: Date;
  completed_at: Date;
}

interface Row {
  conclusion: string;
  attempt: number;
  duration: number;
  queue: number;
}

/** The rows that the same numbers are computed from. */
async function fromRows(isMeant = (_row: Stored) => true): Promise<{ runs: Row[]; jobs: Row[] }> {
  const rowsOf = async (table: string): Promise<Row[]> =>
    (await readRows<Stored>(database, table, { status: 'completed' }))
      .filter(isMeant)
      .map(({ conclusion, attempt, created_at, started_at, completed_at }) => ({
        conclusion,
        attempt,
        duration: Math.max(0, Number(completed_at) - Number(started_at)),
        queue: Math.max(0, Number(started_at) - Number(created_at)),
      }));
  return { runs: await rowsOf('workflow_runs'), jobs: await rowsOf('workflow_jobs') };
}

function assertSame(numbers: MetricNumbers, { runs, jobs }: { runs: Row[]; jobs: Row[] }): void {
  const measured = (list: Row[]) =>
    list.filter((row) => row.conclusion !== 'cancelled' && row.conclusion !== 'skipped');
  const succeeded = runs.filter((row) => row.conclusion === 'success').length;
  const failed = runs.filter((row) => ['failure', 'timed_out'].includes(row.conclusion)).length;
  assert.deepEqual(
    [numbers.runs, numbers.succeeded, numbers.failed, numbers.reruns, numbers.recovered],
    [
      runs.length,
      succeeded,
      failed,
      runs.filter((row) => row.attempt > 1).length,
      runs.filter((row) => row.attempt > 1 && row.conclusion === 'success').length,
    ],
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
  const queueTimes = measured(jobs).map((row) => row.queue);
  assertClose(numbers.queueP50Ms, queueTimes, 0.5);
  assertClose(numbers.queueP95Ms, queueTimes, 0.95);
}

function assertClose(answered: number | null, values: number[], quantile: number): void {
  const exact = values.toSorted((a, b) => a - b)[Math.ceil(values.length * quantile) - 1] ?? null;
  if (exact === null || answered === null) return assert.equal(answered, exact);
  assert.ok(Math.abs(answered - exact) <= exact * 0.02 + 1, `${answered} for ${exact}`);
}

const isIn = ({ repository, workflow, branch }: MetricGroup, row: Stored): boolean =>
  [null, row.repository].includes(repository) &&
  [null, row.workflow_name].includes(workflow) &&
  [null, row.on_default_branch ? 'default' : 'other'].includes(branch);

test('rollups equal the numbers of the rows, percentiles within 2 %, whenever days are added up', async () => {
  const batch = fc.array(completion, { minLength: 1, maxLength: 12 });
  const span = { from: at(-86_400), to: at(6 * 86_400) };
  const scenario = fc.array(fc.record({ batch, addsUp: fc.boolean() }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(scenario, async (parts) => {
      await emptyAll();
      for (const { batch: list, addsUp } of parts) {
        await record(...list.flatMap((item) => [runOf(item), jobOf(item)]));
        if (addsUp) while ((await addUp()) > 0);
        assertSame((await metrics(span)).total, await fromRows());
      }
      for (const groupBy of ['repository', 'branch', 'workflow'] as const) {
        const { groups } = await metrics({ ...span, groupBy });
        for (const group of groups) assertSame(group, await fromRows((row) => isIn(group, row)));
        const grouped = groups.reduce((sum, { runs }) => sum + runs, 0);
        assert.equal(grouped, (await fromRows()).runs.length, groupBy);
      }
      const answer = await metrics({ ...span, groupBy: 'workflow' });
      assertSame(answer.total, await fromRows());
      assert.equal(
        answer.series.reduce((sum, { runs }) => sum + runs, 0),
        answer.total.runs,
      );
      const isOnMain = (row: Stored) => row.on_default_branch && row.repository === 'acme/site';
      const onMain = await metrics({ ...span, branch: 'default', repository: 'acme/site' });
      assertSame(onMain.total, await fromRows(isOnMain));
      const byHour = await metrics({ from: at(86_400), to: at(2 * 86_400), granularity: 'hour' });
      const [from, to] = [new Date(byHour.from), new Date(byHour.to)];
      const isWithin = ({ completed_at: end }: Stored) => end >= from && end < to;
      assertSame(byHour.total, await fromRows(isWithin));
    }),
    { numRuns: 25 },
  );
});

const daysOfRuns = async () =>
  (await readRows<{ start: Date; count: string }>(database, 'daily_rollups', { kind: 'run' }))
    .map(({ start, count }) => `${start.toISOString().slice(0, 10)} ${count}`)
    .sort();

test('a late event marks its day as dirty, and the next run adds the day up again', async () => {
  await emptyAll();
  const one = { ...greenBuild, startSeconds: 0 };
  await record(runOf(one));
  while ((await addUp()) > 0);
  assert.deepEqual(await daysOfRuns(), ['2026-01-05 1']);
  assert.equal((await metrics({ from: at(0) })).total.runs, 1);
  await record(runOf({ ...one, id: 2 }));
  assert.equal((await metrics({ from: at(0) })).total.runs, 2);
  assert.deepEqual(await daysOfRuns(), ['2026-01-05 1']);
  assert.equal(await addUp(), 1);
  assert.equal((await metrics({ from: at(0) })).total.runs, 2);
  assert.deepEqual(await daysOfRuns(), ['2026-01-05 2']);
  assert.equal(await addUp(), 0);
});

test('a day is added up when it is over, and read hour by hour until then', async () => {
  await emptyAll();
  await record(runOf({ ...greenBuild, startSeconds: 0 }));
  while ((await addUp(epoch + 5 * hourMs)) > 0);
  assert.deepEqual(await daysOfRuns(), []);
  assert.equal((await metrics({ from: at(0) })).total.runs, 1);
  await record(runOf({ ...greenBuild, id: 2, startSeconds: 6 * 3600 }));
  assert.equal((await metrics({ from: at(0) })).total.runs, 2);
  while ((await addUp(epoch + 15 * hourMs)) > 0);
  assert.deepEqual(await daysOfRuns(), ['2026-01-05 2']);
});

test('a run from long ago is added up in a few steps and counts in its own day', async () => {
  await emptyAll();
  await record(
    runOf(greenBuild, { run_started_at: '1970-01-02T10:00:00Z', updated_at: '1970-01-02T10:01:00Z' }),
    runOf({ ...greenBuild, id: 2 }),
  );
  let steps = 0;
  while ((await addUp()) > 0) steps += 1;
  assert.equal(steps, 3);
  assert.equal((await metrics({ from: '1970-01-01T00:00:00Z', to: '1970-01-20T00:00:00Z' })).total.runs, 1);
  assert.equal((await metrics()).total.runs, 1);
  assert.deepEqual(await daysOfRuns(), ['1970-01-02 1', '2026-01-10 1']);
});

/** A run that completed at a time. */
const endedAt = (id: number, ms: number) =>
  runOf({ ...greenBuild, id }, { run_started_at: iso(ms - 60_000), updated_at: iso(ms) });
const iso = (ms: number) => new Date(ms).toISOString();
const inHour = async (hour: number) =>
  (await metrics({ from: iso(hour), to: iso(hour), granularity: 'hour' })).total.runs;

test('a process whose clock is ahead does not finalize the hour in progress', async () => {
  await emptyAll();
  const now = Date.now();
  await record(endedAt(1, now - 24 * hourMs), endedAt(2, now));
  while ((await addUp(now + 3 * hourMs)) > 0);
  const [progress] = await readRows<{ finalized_until: Date }>(database, 'rollup_progress');
  assert.ok(Number(progress?.finalized_until) <= now, String(progress?.finalized_until));
});

test('an event counts when the clock of the storing process is behind and its hour is finalized already', async () => {
  await emptyAll();
  const hour = floor(Date.now(), hourMs) - 2 * hourMs;
  await record(endedAt(1, hour + 60_000));
  while ((await addUp(Date.now())) > 0);
  assert.equal(await inHour(hour), 1);
  mock.timers.enable({ apis: ['Date'], now: hour + 1_800_000 });
  await record(endedAt(2, hour + 120_000));
  mock.timers.reset();
  assert.equal(await inHour(hour), 2);
  while ((await addUp(Date.now())) > 0);
  assert.equal(await inHour(hour), 2);
});

test('dirty days are added up earliest first, no matter how many there are', async () => {
  await emptyAll();
  await record(runOf(greenBuild));
  while ((await addUp()) > 0);
  await database.asOwner(
    `insert into dirty_rollup_days (integration_id, day)
     select $1, '1980-01-01Z'::timestamptz + n * interval '1 day' from generate_series(1, 10000) n`,
    [integrationId],
  );
  assert.equal(await addUp(), 1);
  const left = await readRows<{ day: Date }>(database, 'dirty_rollup_days');
  const first = Math.min(...left.map(({ day }) => Number(day)));
  assert.deepEqual([first, left.length], [Date.parse('1980-01-03T00:00:00Z'), 9_999]);
});
