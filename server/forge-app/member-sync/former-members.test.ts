import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deletePending } from '#server/members/pending/pending-store.ts';
import { joinFromOrganization, removeMembership } from '#server/members/access/memberships.ts';
import { syncOrganizationMembers } from '#server/members/access/sync-organization-members.ts';
import { accept, invite } from '#test/support/team/invite.ts';
import { insertIdleTask } from '#test/support/forge/insert-task.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import type { Person } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { membershipOf } from '#test/support/team/members.ts';
import { linkAccount, addPending } from '#test/support/team/people.ts';
import { countRows, deleteRows } from '#test/support/database/rows.ts';

const { forge, product, newLinkedTeam } = await startLinkedProduct();
const { database } = product;

let ids = 2000;
let people = 0;

/** Somebody who has signed in, and belongs to the organization. */
async function newColleague() {
  const person = await product.person(`colleague-${++people}`);
  const account = { id: ++ids, login: person.login };
  await linkAccount(database, person.userId, account.id);
  forge.members.push(account);
  return { ...person, account };
}

const asMember = { role: 'member', source: 'org_sync' };

type LinkedTeam = Awaited<ReturnType<typeof newLinkedTeam>>;

const isFormer = async ({ integrationId }: LinkedTeam, { userId }: Person): Promise<boolean> => {
  const left = { integration_id: integrationId, user_id: userId, may_rejoin: false };
  return (await countRows(database, 'former_members', left)) === 1;
};

const mayRejoin = (team: LinkedTeam, person: Person) =>
  waitUntil('the departure to count', async () => !(await isFormer(team, person)));

const remove = async (team: LinkedTeam, { userId }: Person) => {
  const { status } = await team.owner.call('DELETE', team.path(`/members/${userId}`));
  assert.equal(status, 204);
};

test('a removed member stays out after every kind of sync', async () => {
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
  const onlyOther = [undefined, undefined, undefined, asMember];
  await team.syncAgain();
  assert.deepEqual(await memberships(), onlyOther);
  // The forge tells of the same addition again; `other` shows when it was processed.
  await deleteRows(database, 'memberships', { user_id: other.userId });
  await team.tell('organization', 'member_added', { membership: { user: removed.account } });
  await team.tell('organization', 'member_added', { membership: { user: other.account } });
  await waitUntil('the other', async () => (await membershipOf(team, other)) !== undefined);
  assert.deepEqual(await memberships(), onlyOther);
  await team.owner.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  await team.link();
  await waitUntil('the other', async () => (await membershipOf(team, other)) !== undefined);
  assert.deepEqual(await memberships(), onlyOther);
});

test('a former member who accepts an invitation is a member independent of the organization', async () => {
  const person = await newColleague();
  const team = await newLinkedTeam([]);
  await team.synced();
  await remove(team, person);
  const { token } = await invite(team, null, 'viewer');
  assert.equal((await accept(person, token)).status, 200);
  await team.syncAgain();
  assert.deepEqual(await membershipOf(team, person), { role: 'viewer', source: 'invitation' });
  assert.equal(await countRows(database, 'former_members', { user_id: person.userId }), 0);
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
  await waitUntil('the person told of', async () => (await membershipOf(team, told)) !== undefined);
  await team.syncAgain();
  assert.equal(await membershipOf(team, told), undefined);
  forge.members.push(read.account);
  await team.syncAgain();
  assert.deepEqual(await membershipOf(team, read), asMember);
});

test('an old invitation of a former member stays without effect after they leave the organization', async () => {
  const person = await newColleague();
  const team = await newLinkedTeam([]);
  await team.synced();
  const { token } = await invite(team, null, 'viewer');
  await remove(team, person);
  forge.members = forge.members.filter(({ id }) => id !== person.account.id);
  await team.tell('organization', 'member_removed', { membership: { user: person.account } });
  await mayRejoin(team, person);
  assert.equal((await accept(person, token)).body['code'], 'invitation_ended');
  assert.equal(await membershipOf(team, person), undefined);
});

test('a departure changes nothing in an integration that does not link the organization', async () => {
  const person = await newColleague();
  const [team, other] = [await newLinkedTeam([]), await newLinkedTeam([], { linkNow: false })];
  await team.synced();
  // The other integration had the installation linked, and its webhooks are not removed yet.
  await insertIdleTask(database, other.integrationId, team.installationId, 'forge-webhooks');
  for (const each of [team, other]) {
    if (each === other) await product.setRole(other.integrationId, person, 'member');
    await remove(each, person);
  }
  forge.members = forge.members.filter(({ id }) => id !== person.account.id);
  await team.tell('organization', 'member_removed', { membership: { user: person.account } });
  await mayRejoin(team, person);
  assert.equal(await isFormer(other, person), true);
});

test('a member who leaves one of two linked organizations does not return with the other', async () => {
  const [person, other] = [await newColleague(), await newColleague()];
  const team = await newLinkedTeam([]);
  const second = team.installationId + 10_000;
  forge.installations.set(second, { ...forge.organization, type: 'Organization' });
  await team.link(second);
  const isOf = async (installationId: number, who: typeof person, isMember: boolean) => {
    const row = { forge_id: who.account.id, installation_id: installationId, is_member: isMember };
    return (await countRows(database, 'organization_members', row)) === 1;
  };
  for (const each of [team.installationId, second])
    await waitUntil('the members of both', () => isOf(each, other, true));
  await waitUntil('the other', async () => (await membershipOf(team, other)) !== undefined);
  await remove(team, person);
  await team.tell('organization', 'member_removed', {
    installation: { id: second },
    membership: { user: person.account },
  });
  await waitUntil('the removal', () => isOf(second, person, false));
  await team.syncAgain();
  assert.equal(await membershipOf(team, person), undefined);
});

test('a sync during a removal does not undo it', async () => {
  const person = await newColleague();
  const team = await newLinkedTeam([]);
  await team.synced();
  const { integrationId } = team;
  const sync = () =>
    database.worker.withScope({ integrationId }, (tx) =>
      syncOrganizationMembers(tx, integrationId, 'member'),
    );
  await database.api.withScope({ integrationId }, async (tx) => {
    await removeMembership(tx, integrationId, person.userId);
    assert.deepEqual(await sync(), { joined: [], left: [] });
  });
  assert.deepEqual(await sync(), { joined: [], left: [] });
  assert.equal(await membershipOf(team, person), undefined);
});

test('a sync that waits for a removal does not undo it', async () => {
  const person = await newColleague();
  const team = await newLinkedTeam([]);
  await team.synced();
  const { integrationId } = team;
  const { userId } = person;
  // Sees nothing of the person, as if they joined and were removed after it began to read.
  assert.ok(await membershipOf(team, person));
  await deleteRows(database, 'memberships', { integration_id: integrationId, user_id: userId });
  const [joined, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const removal = database.api.withScope({ joiningIntegrationId: integrationId }, async (tx) => {
    await joinFromOrganization(tx, integrationId, userId, 'member');
    joined.resolve();
    await mayCommit.promise;
    await removeMembership(tx, integrationId, userId);
  });
  await joined.promise;
  const sync = database.worker.withScope({ integrationId }, (tx) =>
    syncOrganizationMembers(tx, integrationId, 'member'),
  );
  await untilSessionWaits(database, 'the sync');
  mayCommit.resolve();
  await Promise.all([removal, sync]);
  assert.equal(await membershipOf(team, person), undefined);
});

test('a person who leaves the organization during their first sign-in does not stay a member', async () => {
  const team = await newLinkedTeam([]);
  await team.synced();
  const { integrationId } = team;
  const person = await newColleague();
  const forgeId = String(person.account.id);
  forge.members.pop();
  await addPending(database, integrationId, forgeId, 'member');
  const [joined, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const join = database.api.withScope({ joiningIntegrationId: integrationId }, async (tx) => {
    assert.ok(await deletePending(tx, integrationId, forgeId));
    assert.ok(await joinFromOrganization(tx, integrationId, person.userId, 'member'));
    joined.resolve();
    await mayCommit.promise;
  });
  await joined.promise;
  const sync = database.worker.withScope({ integrationId }, (tx) =>
    syncOrganizationMembers(tx, integrationId, 'member'),
  );
  await untilSessionWaits(database, 'the sync');
  mayCommit.resolve();
  await join;
  assert.deepEqual(
    (await sync).left.map((member) => member.userId),
    [person.userId],
  );
  assert.equal(await membershipOf(team, person), undefined);
});
