import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import { ageRows } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { deleteOldOutcomes } from './delete-old-outcomes.ts';
import { decodeOutcome, encodeOutcome } from './outcome-codes.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { listOutcomes } from './outcome-store.ts';

const database = await createTestDatabase();
const integrationId = '11111111-1111-4111-8111-111111111111';

test('each outcome keeps the number that stored rows hold', () => {
  const events = { workflow_run: 0x00, workflow_job: 0x10, pull_request: 0x20, pull_request_review: 0x30 };
  const results = {
    hidden: 0,
    shown: 1,
    same_event: 2,
    older_attempt: 3,
    already_completed: 4,
    older_update: 5,
    earlier_status: 6,
    earlier_delivery: 7,
    earlier_attempt_updated: 8,
    past_retention: 9,
  };
  for (const [eventType, high] of Object.entries(events))
    for (const [result, low] of Object.entries(results)) {
      const stored = { eventType, outcome: 'stored', isShown: result === 'shown' };
      const expected = low < 2 ? stored : { eventType, outcome: 'stale', reason: result };
      assert.deepEqual(decodeOutcome(high + low), expected);
    }
});

test('each outcome has one number, and the other bytes stand for none', () => {
  const known = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => decodeOutcome(byte));
  assert.equal(known.length, queuedEvents.length * 10);
  for (const byte of known) assert.equal(encodeOutcome(decodeOutcome(byte)!), byte);
});

const elsewhere = '22222222-2222-4222-8222-222222222222';

/** Outcomes of messages. Odd ones were sent to screens; those of the other integration were not. */
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

/** The recorded messages, and whether they were sent to screens. */
async function known(...seqs: number[]): Promise<[number, boolean][]> {
  const outcomes = await database.api.withScope({ integrationId }, (tx) =>
    listOutcomes(tx, integrationId, seqs.map(String)),
  );
  return [...outcomes].map(([seq, { code }]) => {
    const outcome = decodeOutcome(code);
    return [Number(seq), outcome?.outcome === 'stored' && outcome.isShown];
  });
}

test('outcomes are found by message and deleted with age, oldest first', async () => {
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
  const forget = () =>
    database.worker.withScope({ integrationId }, (tx) => deleteOldOutcomes(tx, integrationId, now, 90));
  assert.equal(await forget(), 0);
  await ageRows(database, 'delivery_outcomes.settled_at', '91 days', { last_seq: 5 });
  assert.equal(await forget(), 1);
  assert.deepEqual(await known(9, 5), [[9, true]]);
});
