import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/test-database.ts';
import { forgetOutcomes } from './forget-outcomes.ts';
import { decodeOutcome, encodeOutcome } from './outcome-codes.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { listOutcomes } from './store.ts';

const database = await createTestDatabase();
const integrationId = '11111111-1111-4111-8111-111111111111';

test('every byte that means something means one thing, and the others mean nothing', () => {
  const known = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => decodeOutcome(byte));
  assert.equal(known.length, 4 * 9);
  for (const byte of known) assert.equal(encodeOutcome(decodeOutcome(byte)!), byte);
});

function batch(seqs: number[], elsewhere: number[] = []) {
  const outcome = { eventType: 'workflow_job', outcome: 'stored', isShown: true } as const;
  return [
    ...seqs.map((seq) => ({ ...outcome, messageId: String(seq), integrationId })),
    ...elsewhere.map((seq) => ({
      ...outcome,
      messageId: String(seq),
      integrationId: '22222222-2222-4222-8222-222222222222',
    })),
  ];
}

async function known(newest: number, oldest: number): Promise<string[]> {
  const outcomes = await database.api.withScope({ integrationId }, (tx) =>
    listOutcomes(tx, integrationId, [String(newest), String(oldest)]),
  );
  return [...outcomes.keys()];
}

test('outcomes are found by any stretch of messages, and forgotten with age, oldest first', async () => {
  const integrationIds = [integrationId, '22222222-2222-4222-8222-222222222222'];
  for (const outcomes of [batch([1, 2, 5], [3, 4]), batch([6, 9], [7]), batch([12])])
    await database.worker.withScope({ integrationIds }, async (tx) => recordOutcomes(tx, outcomes));
  assert.deepEqual(await known(12, 1), ['1', '2', '5', '6', '9', '12']);
  assert.deepEqual(await known(5, 2), ['1', '2', '5']);
  assert.deepEqual(await known(8, 6), ['6', '9']);
  assert.deepEqual(await known(40, 13), []);

  const now = Date.now();
  assert.equal(await forgetOutcomes(database.worker, integrationId, now, 90), 0);
  await database.asOwner(
    `update delivery_outcomes set settled_at = now() - interval '91 days' where last_seq < 9`,
  );
  assert.equal(await forgetOutcomes(database.worker, integrationId, now, 90), 1);
  assert.deepEqual(await known(12, 1), ['6', '9', '12']);
});
