import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/test-database.ts';
import { deleteOldOutcomes } from './delete-old-outcomes.ts';
import { decodeOutcome, encodeOutcome } from './outcome-codes.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { listOutcomes } from './outcome-store.ts';

const database = await createTestDatabase();
const integrationId = '11111111-1111-4111-8111-111111111111';

test('every byte that means something means one thing, and the others mean nothing', () => {
  const known = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => decodeOutcome(byte));
  assert.equal(known.length, 4 * 9);
  for (const byte of known) assert.equal(encodeOutcome(decodeOutcome(byte)!), byte);
});

const elsewhere = '22222222-2222-4222-8222-222222222222';

/** What became of messages: of some the screens were told, of those elsewhere nobody was. */
function batch(seqs: number[], others: number[] = []) {
  const stored = { eventType: 'workflow_job', outcome: 'stored' } as const;
  return [
    ...seqs.map((seq) => ({ ...stored, isShown: seq % 2 === 1, messageId: String(seq), integrationId })),
    ...others.map((seq) => ({
      ...stored,
      isShown: false,
      messageId: String(seq),
      integrationId: elsewhere,
    })),
  ];
}

/** What is on record of messages, and whether screens were told. */
async function known(...seqs: number[]): Promise<[number, boolean][]> {
  const outcomes = await database.api.withScope({ integrationId }, (tx) =>
    listOutcomes(tx, integrationId, seqs.map(String)),
  );
  return [...outcomes].map(([seq, { code }]) => {
    const outcome = decodeOutcome(code);
    return [Number(seq), outcome?.outcome === 'stored' && outcome.isShown];
  });
}

test('outcomes are found for the messages asked for and no others, and forgotten with age, oldest first', async () => {
  const integrationIds = [integrationId, elsewhere];
  for (const outcomes of [batch([1, 2, 5], [3, 4]), batch([6, 9], [7]), batch([12])])
    await database.worker.withScope({ integrationIds }, async (tx) => recordOutcomes(tx, outcomes));
  assert.deepEqual(await known(12, 9, 6, 5, 2, 1), [
    [12, false],
    [9, true],
    [6, false],
    [5, true],
    [2, false],
    [1, true],
  ]);
  assert.deepEqual(await known(12, 1), [
    [12, false],
    [1, true],
  ]);
  assert.deepEqual(await known(13, 7, 3), []);

  const now = Date.now();
  assert.equal(await deleteOldOutcomes(database.worker, integrationId, now, 90), 0);
  await database.asOwner(
    `update delivery_outcomes set settled_at = now() - interval '91 days' where last_seq < 9`,
  );
  assert.equal(await deleteOldOutcomes(database.worker, integrationId, now, 90), 1);
  assert.deepEqual(await known(9, 5), [[9, true]]);
});
