import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import type { Service } from '#platform/runtime/service.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { upsertDueTasks } from '#server/forge-tasks/store.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { countRows } from '#test/support/database/rows.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { runTaskNow } from '#test/support/forge/run-task-now.ts';
import { addPerson } from '#test/support/team/people.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { openGate } from '#server/forges/budget/forge-gate.ts';
import { gatedFetch } from '#server/forges/budget/gated-fetch.ts';
import { makeForgeTasks, type ForgeTaskOptions } from './task.ts';

const database = await createTestDatabase();
const ownerId = await addPerson(database, { name: 'Ann' });

/** An integration with a task that is due. */
async function newTask(): Promise<string> {
  const deps = { db: database.api, sealer: makeSealer([testMasterKey]) };
  const { integrationId } = await createIntegration(deps, { label: 'Team', ownerId });
  await database.api.withScope({ integrationId }, (tx) =>
    upsertDueTasks(tx, integrationId, null, ['failures']),
  );
  return integrationId;
}

function failureTasks(run: ForgeTaskOptions['run'], longestRunMs?: number): Service {
  const deps = {
    db: database.worker,
    log: pino({ level: 'silent' }),
    listener: { on: () => {}, onConnect: () => {} } as never,
  };
  return makeForgeTasks(
    deps,
    [{ kind: 'failures', permission: 'read Actions', outlivesLink: true, run }],
    longestRunMs,
  );
}

test('connections whose forge failed and then hangs leave places to the others', async (t) => {
  const failing = await Promise.all(Array.from({ length: 5 }, newTask));
  const gate = makeGate();
  gate.close();
  const done = new Set<string>();
  const service = failureTasks(async ({ integrationId, failures }) => {
    if (failing.includes(integrationId)) {
      if (failures === 0) throw new Error('the forge is down');
      await gate.passed();
    }
    done.add(integrationId);
    return undefined;
  });
  await service.start();
  t.after(async () => {
    gate.open();
    await service.stop();
  });
  await waitUntil(
    'all to have failed',
    async () => (await countRows(database, 'forge_tasks', { failures: 1, leased_until: null })) === 5,
  );
  for (const integrationId of failing) await runTaskNow(database, integrationId, 'failures');
  await waitUntil('two to hang', () => gate.waiting() === 2);
  const others = await Promise.all(Array.from({ length: 5 }, newTask));
  await waitUntil('the others', () => others.every((integrationId) => done.has(integrationId)));
  assert.equal(gate.waiting(), 2);
  gate.open();
  await waitUntil('all', () => done.size === 10);
});

test('a forge that answers each call slowly does not keep a task', async (t) => {
  const integrationId = await newTask();
  const gated = gatedFetch(openGate, 'slow', 'background', async () => {
    await delay(20);
    return new Response();
  });
  let calls = 0;
  const service = failureTasks(async () => {
    for (; calls < 10_000; calls += 1) await gated('http://forge.example', {});
    return undefined;
  }, 100);
  await service.start();
  t.after(() => service.stop());
  await waitUntil(
    'the task to be retried later',
    async () =>
      (await countRows(database, 'forge_tasks', { integration_id: integrationId, failures: 1 })) === 1,
    20_000,
  );
  assert.ok(calls < 10, `${calls} calls`);
});
