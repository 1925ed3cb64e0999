import { test } from 'node:test';
import type { Tx } from '#platform/database/database.ts';
import { integrationId } from '#test/support/data/forge-events.ts';
import { assertIndexed, assertScales, estimatesOf } from '#test/support/database/query-plans.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { readMetrics } from './metrics/read-metrics.ts';
import {
  advanceWaiting,
  deleteSent,
  deleteWaiting,
  dropWaiting,
  findNextDue,
  insertFinishedRuns,
  insertRunsOfLateJobs,
  takeWaiting,
} from './sending/queue-store.ts';
import { readParts } from './sending/run-store.ts';
import { countWaiting, updateResult } from './settings-store.ts';

const database = await createTestDatabase();
const { api, worker } = database;
const now = new Date();

/** Runs with a job each, all of which wait. `others` of 50 belong to other integrations, which have exports too. */
async function fill(runs: number, others: number): Promise<void> {
  for (const table of [
    'workflow_runs',
    'workflow_jobs',
    'trace_export_runs',
    'trace_exports',
    'tasks',
    'ci_counters',
  ])
    await database.asOwner(`truncate ${table} restart identity cascade`);
  const n50 = `greatest(n % 50 - ${49 - others}, 0)`;
  const own = `case ${n50} when 0 then $1::uuid else ('b0000000-0000-4000-8000-' || lpad(${n50}::text, 12, '0'))::uuid end`;
  for (const text of [
    `insert into integrations (integration_id, label, webhook_secret) select distinct ${own}, 'Team', '\\x00'::bytea
     from generate_series(1, 50) n where $2 > 0 on conflict do nothing`,
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, created_at,
       pull_requests, completed_at)
     select ${own}, n, 1, '', 'acme/site', 'completed', true, now(), '{}', now() from generate_series(1, $2::int) n`,
    `insert into workflow_jobs (integration_id, run_id, attempt, version, repository, status, on_default_branch, job_id, name, labels,
       steps, created_at, completed_at)
     select ${own}, n, 1, '', 'acme/site', 'completed', true, n, 'build', '{}', '[]', now(), now() from generate_series(1, $2::int) n`,
    `insert into trace_exports (integration_id, url, sealed_headers, header_names, enabled, metrics, saved_at, at_most)
     select distinct ${own}, 'https://collector.example.com', '\\x00'::bytea, '{}'::text[], true, true, now(), 100
     from generate_series(1, 50) n where $2 > 0`,
    `insert into trace_export_runs (group_id, run_id, attempt, noted_at, due_at)
     select ${own}, n, 1, now(), now() - interval '1 hour' from generate_series(1, $2::int) n`,
    `insert into ci_counters (integration_id, kind, series, result, repository, workflow, count, sum_ms, buckets)
     select ${own}, 'run', int4send(n % 5000), 'success', 'acme/site', 'CI', 1, 1, '{1}' from generate_series(1, $2::int) n
     on conflict do nothing`,
  ])
    await database.asOwner(text, [integrationId, runs]);
  await database.asOwner('analyze');
}

const runs = Array.from({ length: 40 }, (_, index) => ({
  integrationId,
  runId: 50 * (index + 1),
  attempt: 1,
}));
const waiting = runs.map(({ runId, attempt }) => ({
  entryId: String(runId),
  runId,
  attempt,
  afterJob: 0,
  revision: 0,
}));
const entryIds = waiting.map(({ entryId }) => entryId);
const times = { now, impatientSince: new Date(now.getTime() - 1000), checkAgainAt: now };
const result = { successAt: now, failureAt: null, problem: null, isFailing: false, dueAt: now, failures: 0 };

const works: Record<string, (tx: Tx) => Promise<unknown>> = {
  'noting finished runs': (tx) => insertFinishedRuns(tx, runs, now, now),
  'noting jobs after their runs': (tx) => insertRunsOfLateJobs(tx, runs, now, now),
  'the result of a request': (tx) => updateResult(tx, integrationId, now, result),
  'when the next run is due': (tx) => findNextDue(tx, integrationId),
  'the next runs': (tx) => takeWaiting(tx, integrationId, times, 100),
  'runs with their jobs': (tx) => readParts(tx, integrationId, waiting, { jobs: 500, stepBytes: 1e6 }),
  'the end of a request': async (tx) => {
    await advanceWaiting(tx, waiting[0]!, 1);
    await deleteSent(tx, waiting);
    await deleteWaiting(tx, entryIds);
  },
};

/** Rows of these: one for each integration with an export. */
const small = ['trace_exports', 'e', 'tasks', 't', 'integrations'];

test('statements of the export use indexes, and cost the same with ten times the runs', async () => {
  const estimates = Object.entries(works).map(
    ([name, work]) => [name, () => estimatesOf(worker, { integrationId }, work)] as const,
  );
  await assertScales(estimates, (rows) => fill(rows, 10), small);
});

test('statements that grow with the runs of one integration read only its rows, from an index', async () => {
  await fill(20_000, 49);
  const ofWorker = await estimatesOf(worker, { integrationId }, async (tx) => {
    await dropWaiting(tx, integrationId, new Date(0), 10);
    await readMetrics(tx, integrationId);
  });
  const ofApi = await estimatesOf(api, { integrationId }, (tx) => countWaiting(tx, integrationId, 10_000));
  assertIndexed([...ofWorker, ...ofApi], small);
});
