import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { deleteOldRuns } from '#server/retention/delete-old-runs.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { arbitraryEvent } from '#test/support/data/arbitrary-events.ts';
import { greenBuild, jobOf, runOf, type Completion } from '#test/support/data/completions.ts';
import { eventOf, integrationId, jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { countRows } from '#test/support/database/rows.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import { openMetrics } from './openmetrics.ts';
import { mostSeries } from './counters.ts';
import { readCiMetrics } from './read-ci-metrics.ts';

const { database, record, empty } = await createMonitoringStore();

/** All samples by name and labels. */
async function samples(): Promise<Map<string, number>> {
  const families = await database.api.withScope({ integrationId }, (tx) => readCiMetrics(tx, integrationId));
  return new Map(
    readOpenMetrics(openMetrics(families)).flatMap((family) =>
      family.samples.map(
        ({ name, labels, value }) => [`${name} ${Object.values(labels).join(' ')}`, value] as const,
      ),
    ),
  );
}

const runs = 'forgewatch_pipeline_runs_total';
const build = (rest: Partial<Completion> = {}): Completion => ({ ...greenBuild, ...rest });

test('completed runs count by repository, workflow and result, and their durations by bucket', async () => {
  await record(
    runOf(build({ id: 1, seconds: 15 })),
    runOf(build({ id: 2, seconds: 16 })),
    runOf(build({ id: 3, conclusion: 'timed_out', seconds: 90_000 })),
    runOf(build({ id: 4, conclusion: 'cancelled' })),
    runOf(
      build({ id: 5, repository: 'acme/api', name: 'Deploy', conclusion: 'startup_failure', seconds: 1 }),
    ),
    eventOf('workflow_run', runPayload({ id: 6, status: 'in_progress' })),
  );
  const all = await samples();
  const ofRuns = [...all].filter(([key]) => key.startsWith(runs));
  assert.deepEqual(Object.fromEntries(ofRuns), {
    [`${runs} acme api Deploy error`]: 1,
    [`${runs} acme site CI cancellation`]: 1,
    [`${runs} acme site CI success`]: 2,
    [`${runs} acme site CI timeout`]: 1,
  });
  const duration = 'cicd_pipeline_run_duration_seconds';
  assert.equal(all.get(`${duration}_bucket acme site CI success executing 15.0`), 1);
  assert.equal(all.get(`${duration}_bucket acme site CI success executing 30.0`), 2);
  assert.equal(all.get(`${duration}_sum acme site CI success executing`), 31);
  assert.equal(all.get(`${duration}_bucket acme site CI timeout executing 21600.0`), 0);
  assert.equal(all.get(`${duration}_bucket acme site CI timeout executing +Inf`), 1);
  assert.ok(![...all.keys()].some((key) => key.startsWith(duration) && key.includes('cancellation')));
});

test('jobs show how long they waited, and how many wait and run, by labels', async () => {
  const job = (id: number, fields: object) =>
    eventOf('workflow_job', jobPayload({ id, run_id: 9, labels: ['linux', 'x64'], ...fields }));
  const created_at = new Date().toISOString();
  await record(
    jobOf(build({ queuedSeconds: 45 })),
    eventOf('workflow_run', runPayload({ id: 9, status: 'in_progress', name: 'CI', created_at })),
    job(91, { status: 'queued' }),
    job(92, { status: 'waiting' }),
    job(93, { status: 'in_progress' }),
    job(94, { status: 'completed', conclusion: 'success' }),
  );
  const all = await samples();
  const queue = 'forgewatch_pipeline_task_queue_duration_seconds';
  assert.equal(all.get(`${queue}_bucket linux 30.0`), 0);
  assert.equal(all.get(`${queue}_bucket linux 60.0`), 1);
  assert.equal(all.get(`${queue}_sum linux`), 45);
  const active = 'forgewatch_pipeline_task_active';
  assert.deepEqual(
    ['linux pending', 'linux executing', 'linux, x64 pending', 'linux, x64 executing'].map((key) =>
      all.get(`${active} ${key}`),
    ),
    [0, 0, 2, 1],
  );
  assert.equal(all.get('cicd_pipeline_run_active acme site CI executing'), 1);
  assert.equal(all.get('cicd_pipeline_run_active acme site CI pending'), 0);
});

test('a re-run, a repeated event and the deletion of a run take nothing from the counters', async () => {
  const first = runOf(build({ conclusion: 'failure' }));
  await record(first);
  await record(eventOf('workflow_run', runPayload({ id: 1, run_attempt: 2, name: 'CI' })), first);
  assert.equal((await samples()).get(`${runs} acme site CI failure`), 1);
  await record(runOf(build({ attempt: 2 })), runOf(build({ attempt: 2 })), jobOf(build()));
  await record(first, jobOf(build()));
  const all = await samples();
  assert.deepEqual(
    ['failure', 'success'].map((result) => all.get(`${runs} acme site CI ${result}`)),
    [1, 1],
  );
  const deps = { db: database.worker, lock: async () => {}, clock: () => Date.now() + 9000 * dayMs };
  assert.equal(await deleteOldRuns({ ...deps, runRetentionDays: 1 }, integrationId), 1);
  assert.deepEqual(await samples(), all);
});

test('series beyond the limit are stored as one series, which never decreases', async () => {
  const buildOf = (number: number, rest: Partial<Completion> = {}): Completion =>
    build({ id: number, name: `CI ${number}`, labels: [`linux ${number}`], ...rest });
  const fill = Array.from({ length: mostSeries.run - 1 }, (_, index) => buildOf(index + 1));
  await record(...fill.map((each) => runOf(each)), ...fill.map((each) => jobOf(each)));
  const ofJobs = 'forgewatch_pipeline_task_queue_duration_seconds_count';
  const valuesOf = async (...names: string[]) => {
    const all = await samples();
    return names.map((name) => all.get(name));
  };
  const others = [`${runs}  other other true success`, `${ofJobs} other true`];
  assert.deepEqual(await valuesOf(...others), [undefined, fill.length - mostSeries.queue]);

  const more = [1, 2, 3].map((number) => buildOf(mostSeries.run + number));
  await record(...more.map((each) => runOf(each)));
  const repeated = buildOf(1, { id: 9001, conclusion: 'failure' });
  await record(...more.map((each) => runOf({ ...each, attempt: 2 })), runOf(repeated));
  assert.deepEqual(await valuesOf(...others, `${runs} acme site CI 1 failure`), [
    4,
    fill.length - mostSeries.queue,
    1,
  ]);
  const bucket = 'cicd_pipeline_run_duration_seconds_bucket  other other true success executing';
  assert.deepEqual(await valuesOf(`${bucket} 30.0`, `${bucket} 60.0`), [0, 4]);
  // A row for each series, one more for the second result of the first workflow, and one for all others.
  assert.equal(await countRows(database, 'ci_counters', { kind: 'run' }), mostSeries.run + 2);
  assert.equal(await countRows(database, 'ci_counters', { kind: 'queue' }), mostSeries.queue + 1);
});

test('no counter decreases, whatever events arrive in whatever order', async () => {
  const batches = fc.array(fc.array(arbitraryEvent, { minLength: 1, maxLength: 6 }), {
    minLength: 2,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(batches, async (list) => {
      await empty();
      let before = new Map<string, number>();
      for (const batch of list) {
        await record(...batch);
        const now = await samples();
        for (const [key, value] of before)
          if (!key.includes('_active ')) assert.ok((now.get(key) ?? -1) >= value, `${key}: ${value}`);
        before = now;
      }
    }),
    { numRuns: 40 },
  );
});
