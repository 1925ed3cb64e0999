import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { countRows, updateRows, ageRows } from '#test/support/database/rows.ts';

const { forge, product, newLinkedTeam } = await startLinkedProduct();
const { database } = product;

type LinkedTeam = Awaited<ReturnType<typeof newLinkedTeam>>;
let ids = 3000;

const atTheForge = ({ installationId }: LinkedTeam) => forge.installations.get(installationId)!;

/** As a day later. A sync that is due at once would have all else done, too, as one that somebody asks for. */
const syncIsDue = ({ installationId }: LinkedTeam) =>
  updateRows(
    database,
    'forge_installations',
    { sync_due_at: new Date(Date.now() + 50) },
    { installation_id: installationId },
  );

/** Somebody joins the organization, and is waited for once its members were read. */
const readsNewMember = async (team: LinkedTeam) => {
  const id = ++ids;
  forge.members.push({ id, login: `new-${id}` });
  return () =>
    waitUntil('the new member', async () => {
      const waitedFor = { integration_id: team.integrationId, forge_id: id };
      return (await countRows(database, 'pending_memberships', waitedFor)) === 1;
    });
};

test('a renamed organization is read under its new name when the webhook is lost', async () => {
  const former = forge.organization;
  const team = await newLinkedTeam([]);
  await team.synced();
  forge.organization = { ...former, login: 'octo-renamed' };
  forge.installations.set(team.installationId, { ...forge.organization, type: 'Organization' });
  const isRead = await readsNewMember(team);
  await syncIsDue(team);
  await isRead();
  assert.equal((await team.state()).account.login, 'octo-renamed');
  forge.organization = former;
});

test('a suspension ends within a day when the webhook of its end is lost, also for the webhooks of an unlinked installation', async () => {
  const repositories = [newRepository('octo-org/resumed')];
  const [team, unlinked] = [await newLinkedTeam([]), await newLinkedTeam(repositories)];
  await Promise.all([team.synced(), unlinked.synced(), unlinked.provisioned()]);
  for (const each of [team, unlinked]) {
    atTheForge(each).suspendedAt = '2026-11-20T00:00:00Z';
    await each.tell('installation', 'suspend');
    await waitUntil('the suspension', async () => (await each.state()).isSuspended);
  }
  const before = (await team.state()).sync;
  await syncIsDue(team);
  const rested = await waitUntil('a look', async () => {
    const { sync } = await team.state();
    return Date.parse(sync.nextAt ?? '') > Date.now() + 3_600_000 && sync;
  });
  assert.deepEqual({ ...rested, nextAt: null }, { ...before, nextAt: null });
  await unlinked.admin.call('DELETE', unlinked.path(`/forge-app/${unlinked.installationId}`));

  for (const each of [team, unlinked]) atTheForge(each).suspendedAt = null;
  const isRead = await readsNewMember(team);
  await Promise.all([syncIsDue(team), syncIsDue(unlinked)]);
  await isRead();
  assert.equal((await team.state()).isSuspended, false);
  await waitUntil('no webhook', () => repositories[0]?.webhooks.length === 0);
});

test('an installation that is uninstalled while it is linked is reported, and an unlinked one is not read', async () => {
  const [team, unlinked] = [await newLinkedTeam([]), await newLinkedTeam([])];
  await Promise.all([team.synced(), unlinked.synced()]);
  const installation = atTheForge(team);
  forge.installations.delete(team.installationId);
  await updateRows(
    database,
    'forge_installations',
    { is_deleted: true },
    { installation_id: team.installationId },
  );
  await team.admin.call('POST', team.path(`/forge-app/${team.installationId}/sync`));
  await waitUntil('a failure', async () => (await team.state()).sync.state === 'failed');
  forge.installations.set(team.installationId, installation);

  await unlinked.admin.call('DELETE', unlinked.path(`/forge-app/${unlinked.installationId}`));
  forge.calls.length = 0;
  await syncIsDue(unlinked);
  const notDue = { installation_id: unlinked.installationId, sync_due_at: null };
  await waitUntil(
    'the end of the sync',
    async () => (await countRows(database, 'forge_installations', notDue)) === 1,
  );
  assert.deepEqual(
    forge.calls.filter((call) => call.includes('/members')),
    [],
  );
});

test('an event that is older than the stored installation changes nothing', async () => {
  const team = await newLinkedTeam([]);
  await team.synced();
  // What is stored is newer than the events that come now.
  await ageRows(database, 'forge_installations.as_of', '-1 hour', { installation_id: team.installationId });
  await team.tell('installation', 'suspend');
  const id = ++ids;
  await team.tell('organization', 'member_added', { membership: { user: { id, login: `late-${id}` } } });
  await waitUntil(
    'the event after it',
    async () => (await countRows(database, 'pending_memberships', { forge_id: id })) === 1,
  );
  assert.equal((await team.state()).isSuspended, false);
});

test('a repeated link makes up for lost webhooks', async () => {
  const team = await newLinkedTeam([]);
  await team.synced();
  await team.tell('installation', 'suspend');
  await waitUntil('the suspension', async () => (await team.state()).isSuspended);
  const isRead = await readsNewMember(team);
  await team.link();
  assert.equal((await team.state()).isSuspended, false);
  await isRead();
});

test('a suspension whose webhook is lost is found and removes no member', async () => {
  const team = await newLinkedTeam([]);
  await (
    await readsNewMember(team)
  )();
  await team.synced();
  const members = (await team.state()).sync.members;
  atTheForge(team).suspendedAt = '2026-11-20T00:00:00Z';
  await syncIsDue(team);
  await waitUntil('the suspension', async () => (await team.state()).isSuspended);
  assert.equal((await team.state()).sync.members, members);
});

test('an installation that the forge does not know is reported and removes no member', async () => {
  const team = await newLinkedTeam([]);
  await team.synced();
  const { members } = (await team.state()).sync;
  const installation = atTheForge(team);
  forge.installations.delete(team.installationId);
  await syncIsDue(team);
  await waitUntil('a failure', async () => (await team.state()).sync.state === 'failed');
  const { sync } = await team.state();
  assert.match(sync.error ?? '', /does not know this installation/);
  assert.equal(sync.members, members);
  forge.installations.set(team.installationId, installation);
  await team.syncAgain();
  assert.equal((await team.state()).sync.error, null);
});
