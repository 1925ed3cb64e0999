import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs, minuteMs } from '#platform/runtime/time-units.ts';
import type { RunRow } from '#server/runs/objects/run.ts';
import { setUpSender } from '#test/support/alerts/webhook-sender.ts';
import { greenBuild, runOf } from '#test/support/data/completions.ts';
import { announceRuns } from './announce-runs.ts';

const { database, receiver, newIntegration, subscribe, disable, log } = await setUpSender();
const url = receiver.url('/runs');

/** Announces a run that has just completed, as the worker does in the transaction that stores it. */
async function complete(integrationId: string, runId: number, changes: Partial<RunRow> = {}): Promise<void> {
  const event = runOf(greenBuild);
  assert.ok(event.type === 'workflow_run');
  const row = { ...event.row, integrationId, runId, completedAt: Date.now(), ...changes };
  await database.worker.withScope({ integrationIds: [integrationId] }, async (tx) => announceRuns(tx, [row]));
}

test('each run that is stored after a subscription was saved is sent once, none that was stored before', async () => {
  const integrationId = await newIntegration();
  await complete(integrationId, 1);
  const { subscriptionId } = await subscribe(integrationId, url, ['run.completed']);
  for (const runId of [2, 2, 3]) await complete(integrationId, runId);
  const types = (await log(integrationId, subscriptionId)).map(({ type }) => type);
  assert.deepEqual(types, ['run.completed', 'run.completed']);
});

test('runs in progress and of the day before yesterday are not sent, and nothing to those who do not subscribe', async () => {
  const integrationId = await newIntegration();
  const active = await subscribe(integrationId, url, ['run.completed']);
  await complete(integrationId, 1, { status: 'in_progress', completedAt: null });
  await complete(integrationId, 2, { completedAt: Date.now() - dayMs - minuteMs });
  assert.deepEqual(await log(integrationId, active.subscriptionId), []);
  const ofMembers = await subscribe(integrationId, url);
  await disable(integrationId, active.subscriptionId);
  await complete(integrationId, 3);
  for (const { subscriptionId } of [active, ofMembers])
    assert.deepEqual(await log(integrationId, subscriptionId), []);
});
