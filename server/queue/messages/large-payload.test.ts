import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { loadLargePayload, storeLargePayload } from './large-payload.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';
import { forgetOld } from '../postgres/store.ts';
import { ageRows, storedText } from '#test/support/database/rows.ts';

const database = await createTestDatabase();
const { api, worker } = database;
const sealer = makeSealer([randomBytes(32)]);
const staysShort = watchTurns();

test('a payload of 25 MiB is stored sealed and comes back as it was, for its own group only', async () => {
  const groupId = randomUUID();
  const payload = Buffer.from(`"${'needle '.repeat((25 * 1024 * 1024) / 7)}"`);
  const payloadRef = await storeLargePayload(api, sealer, groupId, payload);
  const loaded = await loadLargePayload(worker, sealer, groupId, payloadRef);
  assert.ok(loaded?.equals(payload));
  assert.equal(await loadLargePayload(worker, sealer, randomUUID(), payloadRef), undefined);
  assert.equal(await loadLargePayload(worker, sealer, groupId, randomUUID()), undefined);
  assert.equal((await storedText(database, 'large_payload')).includes('needle'), false);
});

test('a body that does not compress is stored as well, and blocks nobody', async () => {
  // The default of WEBHOOK_MAX_BYTES.
  const payload = randomBytes(25 * 1024 * 1024);
  let loaded: Buffer | undefined;
  await staysShort('the body', async () => {
    const payloadRef = await storeLargePayload(api, sealer, 'random', payload);
    loaded = await loadLargePayload(worker, sealer, 'random', payloadRef);
  });
  assert.ok(loaded?.equals(payload));
});

test('a payload is forgotten 16 days after a worker last read it, and not before', async () => {
  const payloadRef = await storeLargePayload(api, sealer, 'old', Buffer.from('"x"'));
  const dayMs = 86_400_000;
  const forget = () => worker.withScope('service', (tx) => forgetOld(tx, 14 * dayMs, 16 * dayMs, 100));
  const age = (days: number) =>
    ageRows(database, 'large_payload.needed_at', `${days} days`, { payload_id: payloadRef });
  await age(15.9);
  assert.equal(await forget(), 0);
  await age(0.2);
  assert.ok(await loadLargePayload(worker, sealer, 'old', payloadRef));
  assert.equal(await forget(), 0);
  await age(16.1);
  assert.equal(await forget(), 1);
  assert.equal(await loadLargePayload(worker, sealer, 'old', payloadRef), undefined);
});
