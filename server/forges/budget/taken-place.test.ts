import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRows } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { takePlace } from './budget-store.ts';
import { makeTakenPlace } from './taken-place.ts';

const database = await createTestDatabase();
const take = (connection: string, leaseMs = 60_000) => takePlace(database.worker, connection, 0, leaseMs);

const untilOf = async (connection: string): Promise<number> => {
  const [row] = await readRows<{ call_until: Date }>(database, 'forge_budgets', { connection });
  return row?.call_until.getTime() ?? 0;
};

test('a place is renewed until it is left, and then another process takes it at once', async () => {
  const taken = await take('long', 10_000);
  assert.ok(taken);
  const place = makeTakenPlace(database.worker, 'long', taken, 5);
  const before = await untilOf('long');
  await waitUntil('a renewal', async () => (await untilOf('long')) > before);
  assert.equal(await take('long'), undefined);
  await place.leave(undefined);
  assert.ok(await take('long'));
});

test('a place that another process took after its time is not renewed, and not given up', async () => {
  const taken = await take('lost', 1);
  assert.ok(taken);
  await waitUntil('another process to take it', () => take('lost'));
  const before = await untilOf('lost');
  const place = makeTakenPlace(database.worker, 'lost', taken, 1);
  await waitUntil('renewals', () => new Promise<boolean>((done) => setTimeout(() => done(true), 20)));
  await place.leave(undefined);
  assert.equal(await untilOf('lost'), before);
  assert.equal(await take('lost'), undefined);
});
