import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { countRows, deleteRows, readRows, storedText } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { makeSigningKeys, type SigningKeySet } from './signing-keys.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

const database = await createTestDatabase();
const log = pino({ level: 'silent' });
const sealer = makeSealer([randomBytes(32)]);
const madeAt = Date.parse('2026-01-01T00:00:00Z');

/** The keys as a process finds them that starts so many hours after the first one. */
async function keysAfter(hours: number, purpose: string): Promise<SigningKeySet> {
  const clock = () => madeAt + hours * hourMs;
  const keys = makeSigningKeys({ db: database.api, sealer, clock, log }, purpose);
  assert.throws(() => keys.current(), /not loaded yet/);
  const told: SigningKeySet[] = [];
  keys.onChange((set) => told.push(set));
  await keys.service.start();
  await keys.service.stop();
  assert.deepEqual(told, [keys.current()]);
  return keys.current();
}

const kids = ({ published }: SigningKeySet): string[] => published.map(({ kid }) => kid);

test('processes that start together share one sealed key, and another purpose has its own', async () => {
  const [one, two] = await Promise.all([keysAfter(0, 'shared'), keysAfter(0, 'shared')]);
  assert.deepEqual(one, two);
  assert.deepEqual(kids(one), [one.signing.kid]);
  const other = await keysAfter(0, 'other');
  assert.notEqual(other.signing.kid, one.signing.kid);
  assert.equal(await countRows(database, 'signing_key'), 2);
  assert.doesNotMatch(await storedText(database, 'signing_key'), /RS256/);
});

test('the next key is published a day before its first use, and the last one a day after its last use', async () => {
  const [day, period] = [24, 90 * 24];
  const { signing: first } = await keysAfter(0, 'rotated');
  assert.deepEqual(kids(await keysAfter(period - day - 1, 'rotated')), [first.kid]);

  const announced = await keysAfter(period - day, 'rotated');
  assert.equal(announced.signing.kid, first.kid);
  const [, second = ''] = kids(announced);
  assert.deepEqual(kids(await keysAfter(period - 1, 'rotated')), [first.kid, second]);

  for (const hours of [period, period + day - 1])
    assert.deepEqual(kids(await keysAfter(hours, 'rotated')), [second, first.kid]);
  assert.deepEqual(kids(await keysAfter(period + day, 'rotated')), [second]);
  const rows = await readRows(database, 'signing_key', { purpose: 'rotated' });
  assert.deepEqual(
    rows.map(({ kid }) => kid),
    [second],
  );
});

test('the old key signs after a long stop until the next one has been published for a day', async () => {
  const { signing: first } = await keysAfter(0, 'stopped');
  const late = 200 * 24;
  const back = await keysAfter(late, 'stopped');
  assert.equal(back.signing.kid, first.kid);
  const [, second = ''] = kids(back);
  assert.equal((await keysAfter(late + 23, 'stopped')).signing.kid, first.kid);
  assert.equal((await keysAfter(late + 24, 'stopped')).signing.kid, second);
});

test('a start with another encryption key fails and says what to do, also when the old one is lost', async () => {
  await keysAfter(0, 'lost');
  const deps = { db: database.api, sealer: makeSealer([randomBytes(32)]), clock: () => madeAt, log };
  const { service, current } = makeSigningKeys(deps, 'lost');
  await assert.rejects(
    service.start(),
    /ENCRYPTION_KEY. Add that key to the list.*delete all rows of the table signing_key/,
  );
  await deleteRows(database, 'signing_key');
  await service.start();
  await service.stop();
  assert.ok(current().signing.kid);
});
