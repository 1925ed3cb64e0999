import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import type { Role } from '#contract/members/roles.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { renameIntegration } from '#server/integrations/change-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { changeRole } from '../change-role.ts';
import { leaveIntegration } from '../leave-integration.ts';
import { roleIn } from '../memberships-of-user.ts';
import { readMembers } from '../read-members.ts';
import { removeMember } from '../remove-member.ts';
import { transferOwnership } from '../transfer-ownership.ts';
import { addPerson, setRole } from '#test/support/team/people.ts';
import { outcome } from '#test/support/waiting/outcome.ts';

const database = await createTestDatabase();
const db = database.api;
const sealer = makeSealer([testMasterKey]);
let integrationId: string;
const userIds: string[] = [];

const changeTo = (userId: string, role: Role): Promise<void> =>
  setRole(database, integrationId, userId, role);

function roleOf(userId: string): Promise<Role | undefined> {
  return db.withScope({ integrationId }, (tx) => roleIn(tx, integrationId, userId));
}

before(async () => {
  for (let count = 0; count < 51; count++)
    userIds.push(await addPerson(database, { name: `person-${count}` }));
  const created = await createIntegration({ db, sealer }, { label: 'Test', ownerId: userIds[0] ?? '' });
  integrationId = created.integrationId;
});

test('an act of an admin during a demotion either commits first or is refused', async () => {
  const [ownerId = '', adminId = '', targetId = ''] = userIds;
  const seen = new Map<string, number>();
  for (let round = 0; round < 200; round++) {
    await changeTo(adminId, 'admin');
    await changeTo(targetId, 'viewer');
    const demote = () =>
      changeRole(db, { integrationId, actorId: ownerId }, { userId: adminId, role: 'viewer' });
    const act = () =>
      changeRole(db, { integrationId, actorId: adminId }, { userId: targetId, role: 'member' });
    const rename = () =>
      renameIntegration({ db, publicUrl: '' }, { integrationId, actorId: adminId }, randomUUID());
    const works = round % 2 === 0 ? [demote, act, rename] : [rename, act, demote];
    const outcomes = await Promise.all(works.map((work) => outcome(work())));
    const acted = outcomes[1] ?? '';
    assert.equal(outcomes[round % 2 === 0 ? 0 : 2], 'done');
    assert.equal(await roleOf(adminId), 'viewer');
    assert.equal(await roleOf(targetId), acted === 'done' ? 'member' : 'viewer');
    seen.set(acted, (seen.get(acted) ?? 0) + 1);
  }
  assert.deepEqual([...seen.keys()].sort(), ['done', 'insufficient_role'], 'both orders were seen');
});

const maxOwned = 50;

test('50 transfers at once leave exactly one owner', async () => {
  const [ownerId = '', ...others] = userIds;
  await Promise.all(others.map((userId) => changeTo(userId, 'member')));
  const outcomes = await Promise.all(
    others.map((userId) =>
      outcome(transferOwnership(db, { integrationId, actorId: ownerId }, { userId, maxOwned })),
    ),
  );
  assert.equal(outcomes.filter((each) => each === 'done').length, 1);
  assert.equal(outcomes.filter((each) => each === 'insufficient_role').length, 49);
  const { items } = await readMembers(db, { integrationId, actorId: ownerId }, { limit: 100 });
  assert.equal(items.filter(({ role }) => role === 'owner').length, 1);
  assert.equal(await roleOf(ownerId), 'admin');
  const newOwner = others[outcomes.indexOf('done')] ?? '';
  await transferOwnership(db, { integrationId, actorId: newOwner }, { userId: ownerId, maxOwned });
});

test('two people who remove each other, one who leaves meanwhile: no deadlock, one owner', async () => {
  const [ownerId = '', first = '', second = ''] = userIds;
  for (let round = 0; round < 50; round++) {
    await Promise.all([changeTo(first, 'admin'), changeTo(second, 'member')]);
    const outcomes = await Promise.all([
      outcome(removeMember(db, { integrationId, actorId: first }, second)),
      outcome(removeMember(db, { integrationId, actorId: ownerId }, first)),
      outcome(leaveIntegration(db, { integrationId, actorId: second })),
      outcome(transferOwnership(db, { integrationId, actorId: ownerId }, { userId: first, maxOwned })),
    ]);
    const owner = (await roleOf(ownerId)) === 'owner' ? ownerId : first;
    assert.equal(await roleOf(owner), 'owner', outcomes.join());
    if (owner === first)
      await transferOwnership(db, { integrationId, actorId: first }, { userId: ownerId, maxOwned });
  }
});

test('the database itself keeps the owner', async () => {
  const [ownerId = ''] = userIds;
  const leave = (statement: string) =>
    db.withScope({ integrationId }, (tx) => tx.query(statement, [integrationId, ownerId]));
  const isRefused = { code: '23514' };
  await assert.rejects(
    leave('delete from memberships where integration_id = $1 and user_id = $2'),
    isRefused,
  );
  await assert.rejects(
    leave(`update memberships set role = 'admin' where integration_id = $1 and user_id = $2`),
    isRefused,
  );
  await assert.rejects(
    leave(`update memberships set role = 'owner' where integration_id = $1 and user_id <> $2`),
    { code: '23505' },
  );
  await assert.rejects(database.asOwner('delete from users where user_id = $1', [ownerId]), isRefused);
  assert.equal(await roleOf(ownerId), 'owner');
});
