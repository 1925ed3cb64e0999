import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '#test/support/data/forge-events.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { run } from '#test/support/traces/finished-events.ts';
import { setUpTraceExporter } from '#test/support/traces/trace-exporter.ts';
import type { TraceTarget } from '#test/support/traces/trace-target.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { exportPolicy } from '../policy.ts';

const { database, targets, advance, announce, start, integrationTo, saveTo, store, storeSlowly, waiting } =
  await setUpTraceExporter();

/** After the export is saved. */
const finishedAt = (seconds: number) => ({ updated_at: at(100 + seconds) });
const runsAt = ({ accepted }: TraceTarget): unknown[] =>
  accepted.map(({ resource }) => Number(resource['cicd.pipeline.run.id']));

test('runs that finish before a worker knows their export are exported, older ones are not', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(undefined);
  await start(t);
  await store(integrationId, run(1, finishedAt(-1)));
  await saveTo(integrationId, target.url);
  await store(integrationId, run(2, finishedAt(1)), run(3, { status: 'in_progress', conclusion: null }));
  announce();
  await waitUntil('the run to be noted', async () => (await waiting(integrationId)) > 0);
  await store(integrationId, run(3, finishedAt(2)));
  advance(exportPolicy.settleMs);
  await waitUntil('the traces', () => target.accepted.length === 2);
  assert.deepEqual(runsAt(target), [2, 3]);
});

test('a run that is being stored while a worker learns of its export is exported', async (t) => {
  const target = targets.newTarget();
  const integrationId = await integrationTo(undefined);
  await start(t);
  await saveTo(integrationId, target.url);
  await storeSlowly(integrationId, [run(1, finishedAt(1))], async () => {
    announce();
    await untilSessionWaits(database, 'the worker');
  });
  await waitUntil('the run to be noted', async () => (await waiting(integrationId)) === 1);
  advance(exportPolicy.settleMs);
  await waitUntil('the trace', () => target.accepted.length === 1);
  assert.deepEqual(runsAt(target), [1]);
});
