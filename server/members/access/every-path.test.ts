import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { makeAppWorker, type AppWork } from '#server/forge-app/app-work.ts';
import { unlinkInstallation } from '#server/forge-app/installations/link-installation.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { deleteIntegration } from '#server/integrations/delete-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { changeRole } from '../change-role.ts';
import { leaveIntegration } from '../leave-integration.ts';
import { removeMember } from '../remove-member.ts';
import { transferOwnership } from '../transfer-ownership.ts';
import { createInvitation } from '#server/invitations/invite.ts';
import { readInvitations } from '#server/invitations/read-invitations.ts';
import { insertConnections } from '#server/realtime/connections/connection-store.ts';
import { listPositions } from '#server/realtime/store.ts';
import { upsertOrganizationMember } from '#server/forge-app/store.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import { countRecords } from '#test/support/realtime/membership-changes.ts';
import { addPerson } from '#test/support/team/people.ts';
import { joinFromOrganization } from './memberships.ts';

const database = await createTestDatabase();
const { api, worker } = database;
const log = pino({ enabled: false });
const inviting = {
  db: api,
  log,
  publicUrl: 'https://fw.example',
  sendMail: () => assert.fail('no mail'),
  mailLimits: { mailsPerPerson: 1, countKey: testMasterKey },
};

const heard: string[] = [];
const listener = new pg.Client({ connectionString: database.url });
// The database is dropped before this connection ends.
listener.on('error', () => {});
await listener.connect();
after(() => listener.end());
listener.on('notification', ({ payload = '' }) => void heard.push(payload));
await listener.query('listen membership_changed');

let forgeId = 100;

async function insertUser(): Promise<{ userId: string; forgeId: number }> {
  const userId = await addPerson(database, { name: 'Person', forgeId: String(++forgeId) });
  return { userId, forgeId };
}

/** An integration with an owner, a linked organization, and a synced admin with a socket and an open invitation. */
async function makeTeam() {
  const [owner, admin] = [await insertUser(), await insertUser()];
  const { integrationId } = await createIntegration(
    { db: api, sealer: makeSealer([testMasterKey]) },
    { label: 'Test', ownerId: owner.userId },
  );
  const installationId = String(forgeId);
  await insertInstallation(database, forgeId, [integrationId]);
  const { userId } = admin;
  await worker.withScope('service', async (tx) => {
    const account = { forgeId: admin.forgeId, login: 'admin', isMember: true, at: new Date() };
    await upsertOrganizationMember(tx, { installationId, ...account });
  });
  await api.withScope({ integrationId }, async (tx) => {
    await joinFromOrganization(tx, integrationId, userId, 'admin');
    await insertConnections(
      tx,
      integrationId,
      [{ connectionId: randomUUID(), userId, integrationId }],
      dayMs,
    );
  });
  const body = { email: null, role: 'viewer' } as const;
  await createInvitation(inviting, { integrationId, actorId: userId }, body);
  await waitUntil('the announcement', () => heard.includes(`changed ${userId}`));
  heard.length = 0;
  return { integrationId, installationId, owner, admin };
}
type Team = Awaited<ReturnType<typeof makeTeam>>;

const statesOf = async ({ integrationId, owner, admin }: Team) => {
  const reader = { integrationId, actorId: owner.userId };
  const [invitation] = (await readInvitations(api, reader, { status: 'all' })).items;
  const [stream] = await api.withScope({ integrationId }, (tx) => listPositions(tx, [integrationId]));
  const sockets = await countRecords(database, admin.userId);
  return { sockets, invitation: invitation?.status, removals: Number(stream?.removals) };
};

const applyEvent = async ({ integrationId, installationId, admin }: Team, kind: string) => {
  const account = { id: 1, login: 'acme', type: 'Organization' };
  const member = { id: admin.forgeId, login: 'admin' };
  const work = { kind, installationId, account, member, at: new Date(Date.now() + 60_000) } as AppWork;
  const appWorker = makeAppWorker({ db: worker, role: 'member' });
  await worker.withScope({ integrationIds: [integrationId] }, (tx) =>
    appWorker.apply(tx, work, [integrationId]),
  );
};

const ownerOf = ({ integrationId, owner }: Team) => ({ integrationId, actorId: owner.userId });
const adminOf = ({ integrationId, admin }: Team) => ({ integrationId, actorId: admin.userId });

const removals: Record<string, (team: Team) => Promise<unknown>> = {
  'the owner removes them': (team) => removeMember(api, ownerOf(team), team.admin.userId),
  'they leave': (team) => leaveIntegration(api, adminOf(team)),
  'they leave the organization': (team) => applyEvent(team, 'member_removed'),
  'the application is uninstalled': (team) => applyEvent(team, 'uninstalled'),
  'the organization is unlinked': (team) =>
    unlinkInstallation({ db: api, role: 'member' }, ownerOf(team), team.installationId),
};

for (const [name, remove] of Object.entries(removals)) {
  test(`a member loses sockets and invitations when ${name}`, async () => {
    const team = await makeTeam();
    await remove(team);
    assert.deepEqual(await statesOf(team), { sockets: 0, invitation: 'revoked', removals: 1 });
    await waitUntil('the notification', () => heard.includes(`removed ${team.integrationId}`));
  });
}

test('a member loses their invitations, but not their socket, when they are demoted', async () => {
  const team = await makeTeam();
  await changeRole(api, ownerOf(team), { userId: team.admin.userId, role: 'member' });
  assert.deepEqual(await statesOf(team), { sockets: 1, invitation: 'revoked', removals: 0 });
  await waitUntil('the notification', () => heard.includes(`changed ${team.admin.userId}`));
});

test('a transfer of the ownership keeps invitations and notifies both', async () => {
  const team = await makeTeam();
  await transferOwnership(api, ownerOf(team), { userId: team.admin.userId, maxOwned: 5 });
  assert.deepEqual(await statesOf(team), { sockets: 1, invitation: 'pending', removals: 0 });
  for (const { userId } of [team.owner, team.admin])
    await waitUntil('the notification', () => heard.includes(`changed ${userId}`));
});

test('all members lose their sockets when the integration is deleted', async () => {
  const team = await makeTeam();
  await deleteIntegration({ db: api, log }, ownerOf(team));
  assert.equal((await statesOf(team)).sockets, 0);
  await waitUntil('the notification', () => heard.includes(`removed ${team.integrationId}`));
});

const root = path.join(import.meta.dirname, '../../..');
const sources = globSync('{platform,server}/**/*.ts', { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts'),
);
const filesWith = (pattern: RegExp): string[] =>
  sources.filter((file) => pattern.test(readFileSync(path.join(root, file), 'utf8'))).sort();

test('no other code changes memberships, or deletes integrations or users', () => {
  assert.deepEqual(filesWith(/\b(insert into|update|delete from) memberships\b/), [
    'server/members/access/membership-store.ts',
    'server/members/access/organization-store.ts',
  ]);
  assert.deepEqual(filesWith(/access\/membership-store|\/membership-store\.ts'/), [
    'server/members/access/memberships.ts',
  ]);
  assert.deepEqual(filesWith(/organization-store\.ts'/), [
    'server/members/access/sync-organization-members.ts',
  ]);
  assert.deepEqual(filesWith(/\bdelete from integrations\b/), ['server/integrations/store.ts']);
  assert.deepEqual(filesWith(/\bdeleteIntegrationRow\(tx, /), ['server/integrations/delete-integration.ts']);
  assert.deepEqual(filesWith(/\bdelete from users\b/), []);
});
