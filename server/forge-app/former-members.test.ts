import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertSyncedMember, deletePending } from '#server/members/pending/pending-store.ts';
import { deleteMember } from '#server/members/store.ts';
import { accept, invite } from '#test/support/invite.ts';
import { startLinkedProduct } from '#test/support/linked-team.ts';
import type { Person } from '#test/support/team.ts';
import { waitUntil } from '#test/support/wait-until.ts';
import { syncMemberships } from './store.ts';

const { forge, product, newLinkedTeam } = await startLinkedProduct();
const { database } = product;

let ids = 2000;
let people = 0;

/** Somebody who has signed in, and belongs to the organization. */
async function newColleague() {
  const person = await product.person(`colleague-${++people}`);
  const account = { id: ++ids, login: person.login };
  await database.asOwner(`update users set forge_id = ${account.id} where user_id = '${person.userId}'`);
  forge.members.push(account);
  return { ...person, account };
}

type LinkedTeam = Awaited<ReturnType<typeof newLinkedTeam>>;

const membershipOf = async ({ integrationId }: LinkedTeam, { userId }: Person) => {
  const [row] = await database.asOwner<{ text: string }>(
    `select role || ' ' || source as text from memberships where integration_id = $1 and user_id = $2`,
    [integrationId, userId],
  );
  return row?.text;
};

const remove = async (team: LinkedTeam, { userId }: Person) => {
  const { status } = await team.owner.call('DELETE', team.path(`/members/${userId}`));
  assert.equal(status, 204);
};

test('who was removed or left stays out, whatever has the members read again', async () => {
  const [removed, manager, leaver, other] = [
    await newColleague(),
    await newColleague(),
    await newColleague(),
    await newColleague(),
  ];
  const team = await newLinkedTeam([], { linkNow: false });
  await product.setRole(team.integrationId, manager, 'admin');
  await team.link();
  await team.synced();
  await remove(team, removed);
  await remove(team, manager);
  assert.equal((await leaver.call('POST', team.path('/leave'))).status, 204);

  const memberships = () =>
    Promise.all([removed, manager, leaver, other].map((each) => membershipOf(team, each)));
  const onlyOther = [undefined, undefined, undefined, 'member org_sync'];
  await team.syncAgain();
  assert.deepEqual(await memberships(), onlyOther);
  // The forge tells of the same addition again; `other` shows when it was processed.
  await database.asOwner(`delete from memberships where user_id = '${other.userId}'`);
  await team.tell('organization', 'member_added', { membership: { user: removed.account } });
  await team.tell('organization', 'member_added', { membership: { user: other.account } });
  await waitUntil('the other', async () => (await membershipOf(team, other)) !== undefined);
  assert.deepEqual(await memberships(), onlyOther);
  await team.owner.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  await team.link();
  await waitUntil('the other', async () => (await membershipOf(team, other)) !== undefined);
  assert.deepEqual(await memberships(), onlyOther);
});

test('who is invited again is a member again, and follows the organization no more', async () => {
  const person = await newColleague();
  const team = await newLinkedTeam([]);
  await team.synced();
  await remove(team, person);
  const { token } = await invite(team, null, 'viewer');
  assert.equal((await accept(person, token)).status, 200);
  await team.syncAgain();
  assert.equal(await membershipOf(team, person), 'viewer invitation');
  const kept = await database.asOwner(`select from former_members where user_id = '${person.userId}'`);
  assert.deepEqual(kept, []);
});

test('a person who leaves the organization and joins it again becomes a member again', async () => {
  const [told, read] = [await newColleague(), await newColleague()];
  const team = await newLinkedTeam([]);
  await team.synced();
  await remove(team, told);
  await remove(team, read);
  forge.members = forge.members.filter(({ id }) => id !== told.account.id && id !== read.account.id);
  await team.tell('organization', 'member_removed', { membership: { user: told.account } });
  await team.tell('organization', 'member_added', { membership: { user: told.account } });
  await waitUntil('the person told of', async () => (await membershipOf(team, told)) === 'member org_sync');
  await team.syncAgain();
  assert.equal(await membershipOf(team, told), undefined);
  forge.members.push(read.account);
  await team.syncAgain();
  assert.equal(await membershipOf(team, read), 'member org_sync');
});

test('who leaves one of two linked organizations does not come back with the other', async () => {
  const [person, other] = [await newColleague(), await newColleague()];
  const team = await newLinkedTeam([]);
  const second = team.installationId + 10_000;
  forge.installations.set(second, { ...forge.organization, type: 'Organization' });
  await team.link(second);
  await waitUntil('both', async () => {
    const rows = await database.asOwner(
      `select from organization_members where forge_id = ${other.account.id}
         and installation_id in (${team.installationId}, ${second})`,
    );
    return rows.length === 2 && (await membershipOf(team, other)) !== undefined;
  });
  await remove(team, person);
  await team.tell('organization', 'member_removed', {
    installation: { id: second },
    membership: { user: person.account },
  });
  await waitUntil('the removal', async () => {
    const [row] = await database.asOwner<{ is_member: boolean }>(
      `select is_member from organization_members where forge_id = ${person.account.id} and installation_id = ${second}`,
    );
    return row?.is_member === false;
  });
  await team.syncAgain();
  assert.equal(await membershipOf(team, person), undefined);
});

const syncToWait = () =>
  waitUntil('the sync to wait', async () => {
    const waiting = await database.asOwner(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%sync_organization_members%'`,
    );
    return waiting.length === 1;
  });

test('a sync that waits for a removal does not undo it', async () => {
  const person = await newColleague();
  const team = await newLinkedTeam([]);
  await team.synced();
  const { integrationId } = team;
  const [deleted, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const removal = database.api.withScope({ integrationId }, async (tx) => {
    await deleteMember(tx, integrationId, person.userId);
    deleted.resolve();
    await mayCommit.promise;
  });
  await deleted.promise;
  const sync = database.worker.withScope({ integrationId }, (tx) =>
    syncMemberships(tx, integrationId, 'member'),
  );
  await syncToWait();
  mayCommit.resolve();
  await Promise.all([removal, sync]);
  assert.equal(await membershipOf(team, person), undefined);
});

test('who leaves the organization in the moment of their first sign-in does not stay', async () => {
  const team = await newLinkedTeam([]);
  await team.synced();
  const { integrationId } = team;
  const person = await newColleague();
  const forgeId = String(person.account.id);
  forge.members.pop();
  await database.asOwner(
    `insert into pending_memberships (integration_id, forge_id, role, source) values ($1, $2, 'member', 'org_sync')`,
    [integrationId, forgeId],
  );
  const [joined, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const join = database.api.withScope({ joiningIntegrationId: integrationId }, async (tx) => {
    assert.ok(await deletePending(tx, integrationId, forgeId));
    assert.ok(await insertSyncedMember(tx, integrationId, person.userId, 'member'));
    joined.resolve();
    await mayCommit.promise;
  });
  await joined.promise;
  const sync = database.worker.withScope({ integrationId }, (tx) =>
    syncMemberships(tx, integrationId, 'member'),
  );
  await syncToWait();
  mayCommit.resolve();
  await join;
  assert.deepEqual(
    (await sync).map(({ change }) => change),
    ['left'],
  );
  assert.equal(await membershipOf(team, person), undefined);
});
