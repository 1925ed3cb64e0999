import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { greenBuild, jobOf, runOf } from '#test/support/data/completions.ts';
import { integrationId } from '#test/support/data/forge-events.ts';
import { createMetricsReader } from '#test/support/data/reading/metrics-reader.ts';
import { storedRows } from '#test/support/data/reading/stored-rows.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { recomputeMetrics } from './recompute-metrics.ts';
import { deleteRows } from '#test/support/database/rows.ts';

const { database, record, metrics, addUp, emptyAll } = await createMetricsReader();
await insertIntegration(database, integrationId);

const rollups = async () => (await storedRows(database, integrationId))['rollups'];
const days = () => database.asOwner('select * from daily_rollups order by kind, start, series');

async function recompute(
  lock: () => Promise<unknown> = async () => {},
  said: string[] = [],
  end = new AbortController(),
) {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  try {
    return await recomputeMetrics({
      owner: { query: (text) => owner.query(text) },
      db: database.worker,
      lock,
      signal: end.signal,
      say: (text) => void said.push(text),
    });
  } finally {
    await owner.end();
  }
}

/** Runs and jobs in five hours of two days; the second has an earlier attempt, and the last is of the hour in progress. */
async function recordSome(): Promise<void> {
  const at = (id: number, startSeconds: number, own = {}) => ({ ...greenBuild, id, startSeconds, ...own });
  const now = new Date().toISOString();
  await record(jobOf(at(2, 7200, { conclusion: 'failure' })));
  for (const each of [
    at(1, 0),
    at(2, 20_000, { attempt: 2 }),
    at(3, 90_000, { conclusion: 'cancelled', branch: 'topic' }),
  ])
    await record(runOf(each), jobOf(each));
  await record(runOf(at(4, 0), { run_started_at: now, updated_at: now }));
}

/** A metric without history, and histograms that lack some values. */
const forget = (table: string) =>
  database.asOwner(
    `update ${table} set billable_minutes = 0, reruns = 0, durations = '{}' where start < now() - interval '1 hour'`,
  );

test('recomputing corrects a histogram that a later change made negative', async () => {
  await emptyAll();
  await recordSome();
  while ((await addUp()) > 0);
  const [hoursBefore, daysBefore] = [await rollups(), await days()];
  // As if the histogram was new when a run with a value in its first bucket changed.
  await database.asOwner(
    `update hourly_rollups set durations = '{-1}' where start < now() - interval '1 hour' and durations <> '{}'`,
  );
  await recompute();
  assert.deepEqual(await rollups(), hoursBefore);
  assert.deepEqual(await days(), daysBefore);
});

test('recomputing restores missing numbers of hours and days from the stored runs, and changes nothing the second time', async () => {
  await emptyAll();
  await recordSome();
  while ((await addUp()) > 0);
  const [hoursBefore, daysBefore, answer] = [await rollups(), await days(), await metrics()];
  for (const table of ['hourly_rollups', 'daily_rollups']) await forget(table);
  assert.notDeepEqual(await rollups(), hoursBefore);
  const said: string[] = [];
  assert.deepEqual(await recompute(undefined, said), { hours: 5, changed: 4 });
  assert.deepEqual(await rollups(), hoursBefore);
  assert.deepEqual(await days(), daysBefore);
  assert.deepEqual(await metrics(), answer);
  assert.ok(said.includes(`${integrationId}: 5 of 5 hours`), said.join('\n'));
  assert.deepEqual(await recompute(), { hours: 5, changed: 0 });
  assert.deepEqual(await rollups(), hoursBefore);
});

test('recomputing keeps the numbers of deleted runs', async () => {
  await emptyAll();
  await recordSome();
  while ((await addUp()) > 0);
  const before = await rollups();
  for (const table of ['workflow_jobs', 'workflow_runs']) await deleteRows(database, table, { run_id: 1 });
  assert.deepEqual(await recompute(), { hours: 5, changed: 0 });
  assert.deepEqual(await rollups(), before);
});

test('recomputing counts an event once that is stored at the same time', async () => {
  await emptyAll();
  await recordSome();
  await forget('hourly_rollups');
  let stored = 0;
  const late = { ...greenBuild, startSeconds: 60 };
  // Before each hour is locked, as a worker would.
  await recompute(async () => {
    if (stored < 5) await record(runOf({ ...late, id: 100 + (stored += 1) }));
  });
  const { total } = await metrics({ from: '2026-01-05T00:00:00Z', to: '2026-01-05T23:00:00Z' });
  assert.equal(total.runs, 2 + stored);
  assert.equal(total.reruns, 1);
});

test('a second recomputation is refused while one runs', async () => {
  await emptyAll();
  await recordSome();
  let refused: unknown;
  await recompute(async () => {
    refused ??= await recompute().catch((error: unknown) => error);
  });
  assert.match(String(refused), /Another recompute-metrics is running/);
});

test('recomputing ends after the hour in progress when it is interrupted', async () => {
  await emptyAll();
  await recordSome();
  const end = new AbortController();
  const done = await recompute(async () => end.abort(), [], end);
  assert.deepEqual(done, { hours: 1, changed: 0 });
});
