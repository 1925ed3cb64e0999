import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Tx } from '#platform/database/database.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { lockStreams } from '#server/realtime/outbox/append-updates.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { createIntegration } from './create-integration.ts';
import { deleteIntegration } from './delete-integration.ts';
import { addPerson } from '#test/support/team/people.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { countRows } from '#test/support/database/rows.ts';
import { insertPendingMembers } from '#server/members/access/organization-store.ts';
import { saveSuccesses } from '#server/alerts/branches/success-store.ts';
import { lockEvaluation } from '#server/alerts/evaluation/completion-store.ts';

const database = await createTestDatabase();
const db = database.api;

async function newIntegration() {
  const ownerId = await addPerson(database);
  const sealer = makeSealer([testMasterKey]);
  const { integrationId } = await createIntegration({ db, sealer }, { label: 'Doomed', ownerId });
  return { integrationId, actorId: ownerId };
}

/** Of the worker: holds, lets the owner delete meanwhile, then writes what refers to the integration. */
async function writeWhileDeleting(
  hold: (tx: Tx, integrationId: string) => Promise<unknown>,
  write: (tx: Tx, integrationId: string) => Promise<unknown>,
): Promise<string> {
  const actor = await newIntegration();
  const { integrationId } = actor;
  let deletion: Promise<void> | undefined;
  await database.worker.withScope({ integrationId }, async (tx) => {
    await hold(tx, integrationId);
    deletion = deleteIntegration({ db, log: pino({ level: 'silent' }) }, actor);
    deletion.catch(() => {});
    await untilSessionWaits(database, 'the deletion');
    await write(tx, integrationId);
  });
  await deletion;
  return integrationId;
}

const left = (table: string, integrationId: string) =>
  countRows(database, table, { integration_id: integrationId });

const insertPending = (tx: Tx, integrationId: string) =>
  insertPendingMembers(tx, integrationId, ['1'], 'viewer');

test('a deletion waits for a batch that holds the counter and still adds to the integration', async () => {
  const integrationId = await writeWhileDeleting((tx, id) => lockStreams(tx, [id]), insertPending);
  for (const table of ['integrations', 'memberships', 'realtime_stream', 'pending_memberships'])
    assert.equal(await left(table, integrationId), 0, table);
});

test('a deletion waits for alerts under way, which change rows that go with the integration and add more', async () => {
  const succeed = (tx: Tx, integrationId: string, branch: string, runId: number) =>
    saveSuccesses(tx, integrationId, 'run', [{ key: Buffer.from(branch), position: { runId, attempt: 1 } }]);
  const integrationId = await writeWhileDeleting(
    async (tx, id) => {
      await database.worker.withScope({ integrationId: id }, (other) => succeed(other, id, 'main', 1));
      await lockEvaluation(tx, id);
      await succeed(tx, id, 'main', 2);
    },
    (tx, id) => succeed(tx, id, 'next', 1),
  );
  for (const table of ['integrations', 'branch_successes'])
    assert.equal(await left(table, integrationId), 0, table);
});
