import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Role } from '#contract/members/roles.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { acceptPendingMemberships } from './pending-memberships.ts';
import { addPerson, addPending, addToTeam, removeFromTeam } from '#test/support/team/people.ts';
import { logEntries } from '#test/support/data/log-entries.ts';
import { readMembers } from '../read-members.ts';
import { listPending } from './pending-store.ts';
import { addMember } from '#server/members/access/memberships.ts';

const database = await createTestDatabase();
const db = database.api;
const integrationIds: string[] = [];
let count = 0;

async function newUser(): Promise<{ userId: string; forgeId: string }> {
  const forgeId = String(9_000_000_000 + ++count);
  return { userId: await addPerson(database, { name: `person-${count}`, forgeId }), forgeId };
}

const awaitThem = (forgeId: string, role: Role, integrationId = integrationIds[0] ?? '') =>
  addPending(database, integrationId, forgeId, role);

const resolve = (person: { userId: string; forgeId: string }) =>
  acceptPendingMemberships(db, person, 'admin');

/** In the order of the integrations. */
async function membershipsOf(userId: string): Promise<{ role: Role; source: string }[]> {
  const pages = await Promise.all(
    integrationIds.map((integrationId) => readMembers(db, { integrationId, actorId: userId }, {})),
  );
  return pages
    .flatMap(({ items }) => items)
    .filter(({ user }) => user.userId === userId)
    .map(({ role, source }) => ({ role, source }));
}

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
  const logs = await Promise.all(integrationIds.map((id) => logEntries(database, id, 'member.joined')));
  assert.equal(logs.flat().filter(({ details }) => details['userId'] === userId).length, 2);
});

test('a manual role, an invited one and a higher one stay what they are', async () => {
  for (const [source, had, offered, has] of [
    ['manual', 'viewer', 'admin', 'viewer'],
    ['invitation', 'viewer', 'member', 'viewer'],
    ['org_sync', 'admin', 'member', 'admin'],
    ['org_sync', 'viewer', 'member', 'member'],
  ] as const) {
    const { userId, forgeId } = await newUser();
    const integrationId = integrationIds[0] ?? '';
    await db.withScope({ integrationId }, (tx) =>
      addMember(tx, { integrationId, userId, role: had, source }),
    );
    await awaitThem(forgeId, offered);
    await resolve({ userId, forgeId });
    assert.deepEqual(await membershipsOf(userId), [{ role: has, source }]);
    assert.deepEqual(await db.withScope({ userId }, (tx) => listPending(tx, forgeId)), []);
  }
});

test('a pending membership joins with at most the configured role', async () => {
  const { userId, forgeId } = await newUser();
  await awaitThem(forgeId, 'admin');
  await awaitThem(forgeId, 'viewer', integrationIds[1]);
  await acceptPendingMemberships(db, { userId, forgeId }, 'member');
  const roles = (await membershipsOf(userId)).map(({ role }) => role);
  assert.deepEqual(roles, ['member', 'viewer']);
});

test('a former member does not join by a pending membership', async () => {
  const { userId, forgeId } = await newUser();
  await addToTeam(database, integrationIds[0] ?? '', userId, 'viewer');
  await removeFromTeam(database, integrationIds[0] ?? '', userId);
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
