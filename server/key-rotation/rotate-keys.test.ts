import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { keyIdOf, makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import { sealMessage } from '#server/queue/messages/segment.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createPlainOwnerDatabase } from '#test/support/database/plain-owner-database.ts';
import { deleteRows, readRows, updateRows } from '#test/support/database/rows.ts';
import { sealEverything } from '#test/support/secrets/seal-everything.ts';
import { withOwnerDatabase } from './count-by-key.ts';
import { rotateKeys, type Rotated } from './rotate-keys.ts';
import { replaceValues } from './rotation-store.ts';
import { nameOf, sealedColumns } from './sealed-columns.ts';

const database = await createPlainOwnerDatabase();
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const [oldSealer, newSealer] = [makeSealer([oldKey]), makeSealer([newKey])];

const rotate = (keys = [newKey, oldKey], signal = new AbortController().signal): Promise<Rotated> =>
  withOwnerDatabase(database.url, (owner) =>
    rotateKeys({ owner, sealer: makeSealer(keys), keyIds: keys.map(keyIdOf), signal, say: () => {} }),
  );

beforeEach(async () => {
  for (const table of new Set(sealedColumns.map((column) => column.table)))
    if (table !== 'integrations') await deleteRows(database, table);
  await deleteRows(database, 'integrations');
  await deleteRows(database, 'deleted_integrations');
});

test('every sealed column opens with the new key alone after a rotation, and a second one finds nothing', async () => {
  const stored = [await sealEverything(database, oldSealer), await sealEverything(database, oldSealer)];
  const before = await Promise.all(stored.map(({ openAll }) => openAll(oldSealer)));
  const rotated = await rotate();
  // Two values of large payloads for each integration.
  const values = 2 * (sealedColumns.length + 1);
  assert.deepEqual(rotated, { reEncrypted: values, unreadable: {}, left: {} });
  assert.deepEqual(await Promise.all(stored.map(({ openAll }) => openAll(newSealer))), before);
  assert.deepEqual(await rotate(), { reEncrypted: 0, unreadable: {}, left: {} });
});

test('rows of a deleted integration are rotated until they are purged', async () => {
  const { integrationId } = await sealEverything(database, oldSealer);
  await deleteRows(database, 'integrations', { integration_id: integrationId });
  await rotate();
  const [row] = await readRows<{ sealed_token: Buffer }>(database, 'forge_connections');
  assert.equal(row?.sealed_token.toString('hex', 0, 4), keyIdOf(newKey));
});

test('values whose key is lost or that were changed are counted by table and stay as they are', async () => {
  const kept = await sealEverything(database, oldSealer);
  const lost = await insertIntegration(
    database,
    undefined,
    makeSealer([randomBytes(32)]).seal(Buffer.from('x'), ''),
  );
  const damaged = oldSealer.seal(Buffer.from('x'), secretContext(lost));
  damaged[damaged.length - 1]! ^= 1;
  const broken = await insertIntegration(database, undefined, damaged);
  const secrets = () =>
    Promise.all([lost, broken].map((id) => readRows(database, 'integrations', { integration_id: id })));
  const before = await secrets();
  const rotated = await rotate();
  assert.deepEqual(rotated.unreadable, { 'integrations.webhook_secret': 2 });
  assert.deepEqual(rotated.left, {});
  assert.deepEqual(await secrets(), before);
  await kept.openAll(newSealer);
});

test('a value that the service replaced or has locked meanwhile is not overwritten', async () => {
  const { integrationId } = await sealEverything(database, oldSealer);
  const column = sealedColumns.find((each) => nameOf(each) === 'integrations.webhook_secret')!;
  const where = { integration_id: integrationId };
  const stored = async () =>
    (await readRows<{ webhook_secret: Buffer }>(database, 'integrations', where))[0]!;
  const { webhook_secret: read } = await stored();
  const value = { row: where, header: read.subarray(0, 32), sealed: Buffer.from('of the rotation') };
  const replace = () =>
    withOwnerDatabase(database.url, (owner) =>
      owner.withScope({ integrationId }, (tx) => replaceValues(tx, column, [value])),
    );

  await database.api.withScope({ integrationId }, async (tx) => {
    await tx.query('select from integrations for update');
    assert.equal(await replace(), 0);
    const { left } = await rotate();
    assert.deepEqual(left, {
      'integrations.webhook_secret': 1,
      'integrations.previous_webhook_secret': 1,
    });
  });

  const replaced = newSealer.seal(Buffer.from('by the service'), secretContext(integrationId));
  await updateRows(database, 'integrations', { webhook_secret: replaced }, where);
  assert.equal(await replace(), 0);
  await rotate();
  assert.deepEqual((await stored()).webhook_secret, replaced);
});

test('a large number of values is rotated in several pages, and the rest after an interruption', async () => {
  const body = sealMessage(oldSealer, { groupId: 'a', body: Buffer.from('body') });
  // Numbers of one to four digits, whose order as text is another.
  await database.asOwner(
    `insert into queue_segment (segment_id, accepted_at, body) select id, now(), $1 from generate_series(1, 2500) id`,
    [body],
  );
  const end = new AbortController();
  const keys = [newKey, oldKey];
  const interrupted = withOwnerDatabase(database.url, (owner) => {
    let transactions = 0;
    const counting: typeof owner = {
      ...owner,
      withScope: (scope, work, options) => {
        if ((transactions += 1) > 80) end.abort();
        return owner.withScope(scope, work, options);
      },
    };
    return rotateKeys({
      owner: counting,
      sealer: makeSealer(keys),
      keyIds: keys.map(keyIdOf),
      signal: end.signal,
      say: () => {},
    });
  });
  await assert.rejects(interrupted, { name: 'AbortError' });
  const rows = await readRows<{ body: Buffer }>(database, 'queue_segment');
  const rest = rows.filter((row) => row.body.toString('hex', 0, 4) === keyIdOf(oldKey)).length;
  assert.ok(rest > 0 && rest < 2500, String(rest));
  assert.equal((await rotate()).reEncrypted, rest);
});
