import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '#test/support/data/forge-events.ts';
import { job, run } from '#test/support/traces/finished-events.ts';
import { setUpTraceExporter } from '#test/support/traces/trace-exporter.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { exportPolicy } from '../policy.ts';

const { targets, advance, start, integrationTo, saveTo, store, waiting } = await setUpTraceExporter();

test('runs and late jobs that are stored before a worker hears of their export are exported', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(undefined);
  await start(t);
  await store(integrationId, run(1));
  await saveTo(integrationId, target.url);
  const started = { status: 'in_progress', conclusion: null, completed_at: null };
  await store(integrationId, run(2), run(3, started), job(20, 2, started));
  assert.equal(await waiting(integrationId), 1);
  await store(integrationId, run(3, { updated_at: at(90) }));
  advance(exportPolicy.settleMs + exportPolicy.awaitJobsMs);
  await waitUntil('both runs', async () => (await waiting(integrationId)) === 0);
  await store(integrationId, job(20, 2));
  advance(exportPolicy.settleMs);
  await waitUntil('the job', async () => (await waiting(integrationId)) === 0);
  const sent = target.accepted.map(({ resource, name }) => [Number(resource['cicd.pipeline.run.id']), name]);
  assert.deepEqual(sent, [
    [2, 'CI'],
    [3, 'CI'],
    [2, 'CI'],
    [2, 'build'],
    [2, 'queue-build'],
  ]);
});
