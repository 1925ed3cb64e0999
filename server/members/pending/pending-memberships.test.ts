import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { acceptPendingMemberships } from './pending-memberships.ts';
import { addPerson } from '#test/support/team/people.ts';

const database = await createTestDatabase();
const db = database.api;
const integrationIds: string[] = [];
let count = 0;

async function newUser(): Promise<{ userId: string; forgeId: string }> {
  const forgeId = String(9_000_000_000 + ++count);
  return { userId: await addPerson(database, { name: `person-${count}`, forgeId }), forgeId };
}

const awaitThem = (forgeId: string, role: string, integrationId = integrationIds[0]) =>
  database.asOwner('insert into pending_memberships (integration_id, forge_id, role) values ($1, $2, $3)', [
    integrationId,
    forgeId,
    role,
  ]);

const resolve = (person: { userId: string; forgeId: string }) =>
  acceptPendingMemberships(db, person, 'admin');

const membershipsOf = (userId: string) =>
  database.asOwner<{ role: string; source: string }>(
    'select role, source from memberships where user_id = $1 order by role',
    [userId],
  );

before(async () => {
  const { userId: ownerId } = await newUser();
  const sealer = makeSealer([testMasterKey]);
  for (const label of ['One', 'Two'])
    integrationIds.push((await createIntegration({ db, sealer }, { label, ownerId })).integrationId);
});

test('a person joins where their forge account is waited for, once, and the log tells', async () => {
  const { userId, forgeId } = await newUser();
  await awaitThem(forgeId, 'viewer');
  await awaitThem(forgeId, 'member', integrationIds[1]);
  const atOnce = await Promise.all([1, 2, 3].map(() => resolve({ userId, forgeId })));
  assert.deepEqual(atOnce.flat().sort(), integrationIds.toSorted());
  assert.deepEqual(await membershipsOf(userId), [
    { role: 'viewer', source: 'org_sync' },
    { role: 'member', source: 'org_sync' },
  ]);
  assert.deepEqual(await resolve({ userId, forgeId }), []);
  const told = await database.asOwner(`select title from event_log where details ->> 'userId' = $1`, [
    userId,
  ]);
  assert.equal(told.length, 2);
});

test('a manual role, an invited one and a higher one stay what they are', async () => {
  for (const [source, had, offered, has] of [
    ['manual', 'viewer', 'admin', 'viewer'],
    ['invitation', 'viewer', 'member', 'viewer'],
    ['org_sync', 'admin', 'member', 'admin'],
    ['org_sync', 'viewer', 'member', 'member'],
  ]) {
    const { userId, forgeId } = await newUser();
    await database.asOwner(
      'insert into memberships (integration_id, user_id, role, source) values ($1, $2, $3, $4)',
      [integrationIds[0], userId, had, source],
    );
    await awaitThem(forgeId, offered ?? '');
    await resolve({ userId, forgeId });
    assert.deepEqual(await membershipsOf(userId), [{ role: has, source }]);
    assert.deepEqual(
      await database.asOwner('select from pending_memberships where forge_id = $1', [forgeId]),
      [],
    );
  }
});

test('a pending membership joins with at most the configured role', async () => {
  const { userId, forgeId } = await newUser();
  await awaitThem(forgeId, 'admin');
  await awaitThem(forgeId, 'viewer', integrationIds[1]);
  await acceptPendingMemberships(db, { userId, forgeId }, 'member');
  const roles = (await membershipsOf(userId)).map(({ role }) => role);
  assert.deepEqual(roles, ['viewer', 'member']);
});

test('a former member does not join by a pending membership', async () => {
  const { userId, forgeId } = await newUser();
  await database.asOwner('insert into former_members (integration_id, user_id) values ($1, $2)', [
    integrationIds[0],
    userId,
  ]);
  await awaitThem(forgeId, 'member');
  assert.deepEqual(await resolve({ userId, forgeId }), []);
  assert.deepEqual(await membershipsOf(userId), []);
});

test('an entry of somebody else is out of reach, whatever id is asked for', async () => {
  const [ann, ben] = [await newUser(), await newUser()];
  await awaitThem(ben.forgeId, 'admin');
  assert.deepEqual(await resolve({ userId: ann.userId, forgeId: ben.forgeId }), []);
  assert.deepEqual(await membershipsOf(ann.userId), []);
  await awaitThem(ann.forgeId, 'viewer');
  await resolve(ann);
  await resolve(ben);
  assert.deepEqual(
    (await Promise.all([ann, ben].map(({ userId }) => membershipsOf(userId)))).flat().map(({ role }) => role),
    ['viewer', 'admin'],
  );
});

test('member sync makes nobody an owner', async () => {
  await assert.rejects(awaitThem('1', 'owner'), { code: '23514' });
});
