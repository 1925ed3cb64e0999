import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForgeAccount } from '#test/support/forge/forge-api-payloads.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { postAppWebhook } from '#test/support/forge/post-webhook.ts';
import { membersOf } from '#test/support/team/members.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { linkAccount, addPerson } from '#test/support/team/people.ts';
import { ageRows, countRows, readRows } from '#test/support/database/rows.ts';

const { forge, product, appSecret, newLinkedTeam: linkTeam } = await startLinkedProduct();
const { database, baseUrl, person } = product;
const boss = forge.members[0]!;

let ids = 1000;
const account = (login: string): ForgeAccount => ({ id: ++ids, login });

/** Somebody who has signed in, with an account of the forge. */
async function personWith({ id, login }: ForgeAccount) {
  const found = await person(login);
  await linkAccount(database, found.userId, id);
  return found;
}

const postApp = (event: string, payload: object, { secret = appSecret, isForm = false } = {}) =>
  postAppWebhook(baseUrl, secret, { event, payload, isForm });

/** A team whose owner administers an organization with these members. */
async function newLinkedTeam(members: ForgeAccount[], options?: { linkNow: boolean }) {
  forge.members = [boss, ...members];
  const team = await linkTeam([], options);
  /** The members of the organization, and those who have not signed in. */
  const rows = async () => {
    const joined = (await membersOf(team)).filter(({ source }) => source === 'org_sync');
    const pending = await readRows(database, 'pending_memberships', { integration_id: team.integrationId });
    return [
      ...joined.map(({ user, role }) => ({ who: user.forgeLogin ?? user.name, role })),
      ...pending.map(({ forge_id: id, role }) => ({ who: `pending ${id}`, role })),
    ];
  };
  const event = (action: string, user: ForgeAccount) =>
    team.tell('organization', action, { membership: { user } });
  return { ...team, rows, event };
}

test('an organization that its admin links gives known users a membership and others a pending one', async () => {
  const [ann, bob] = [account('ann'), account('bob')];
  await personWith(ann);
  const team = await newLinkedTeam([ann, bob]);
  await team.synced();
  assert.deepEqual(await team.rows(), [
    { who: 'ann', role: 'member' },
    { who: `pending ${bob.id}`, role: 'member' },
  ]);
  const types = (await product.entries(team.integrationId)).map(({ type }) => type);
  assert.ok(types.includes('forge_app.linked') && types.includes('member.joined'));
});

test('members come and go with the organization, whichever order the events arrive in', async () => {
  const cleo = account('cleo');
  await personWith(cleo);
  const team = await newLinkedTeam([]);
  await team.synced();
  forge.members.push(cleo);
  await team.event('member_added', cleo);
  await waitUntil('cleo to join', async () => (await team.rows()).length === 1);
  await team.event('member_removed', cleo);
  await waitUntil('cleo to leave', async () => (await team.rows()).length === 0);
  // In the very words of before, and another delivery all the same.
  await team.event('member_added', cleo);
  await waitUntil('cleo to join again', async () => (await team.rows()).length === 1);
  await team.event('member_removed', cleo);
  await waitUntil('cleo to leave again', async () => (await team.rows()).length === 0);
  // An addition from before the removal, delivered after it: its delivery time is older.
  await ageRows(database, 'organization_members.as_of', '-1 hour', { forge_id: cleo.id });
  const before = await queueDepth();
  await team.event('member_added', cleo);
  await waitUntil('the event to be processed', async () => (await queueDepth()) <= before);
  assert.deepEqual(await team.rows(), []);
});

async function queueDepth(): Promise<number> {
  const text = await readMetrics(baseUrl);
  return ['ready', 'in_flight']
    .map((name) => Number(new RegExp(`^forgewatch_queue_${name} (\\d+)$`, 'm').exec(text)?.[1]))
    .reduce((sum, each) => sum + each);
}

test('manually assigned roles and the owner stay unchanged by the organization', async () => {
  const dan = account('dan');
  const danPerson = await personWith(dan);
  const team = await newLinkedTeam([dan], { linkNow: false });
  await product.setRole(team.integrationId, danPerson, 'viewer');
  await team.link();
  await team.synced();
  assert.deepEqual(await team.rows(), []);
  await team.event('member_removed', dan);
  const unlinked = await team.owner.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  assert.equal(unlinked.status, 204);
  const { items } = (await team.owner.call('GET', team.path('/members'))).body;
  const roles = items.map(({ role }) => role);
  assert.ok(roles.includes('owner') && roles.filter((role) => role === 'viewer').length === 2);
});

test('unlinking ends the memberships and pending memberships of the organization', async () => {
  const [fay, gus] = [account('fay'), account('gus')];
  await personWith(fay);
  const team = await newLinkedTeam([fay, gus]);
  await team.synced();
  assert.equal((await team.rows()).length, 2);
  assert.equal((await team.owner.call('DELETE', team.path(`/forge-app/${team.installationId}`))).status, 204);
  assert.deepEqual(await team.rows(), []);
  const told = (await product.entries(team.integrationId)).map(({ type, actorId: by }) => [type, by]);
  assert.deepEqual(
    told.filter(([type]) => type === 'forge_app.unlinked'),
    [['forge_app.unlinked', team.owner.userId]],
  );
  const again = await team.owner.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  assert.deepEqual([again.status, again.body.code], [404, 'not_found']);
});

test('an uninstallation removes the members of the organization and logs it', async () => {
  const hal = account('hal');
  await personWith(hal);
  const team = await newLinkedTeam([hal]);
  await team.synced();
  const installation = { id: team.installationId, account: { ...forge.organization, type: 'Organization' } };
  const answer = await postApp('installation', { action: 'deleted', installation }, { isForm: true });
  assert.equal(answer.status, 200);
  await waitUntil('the members to leave', async () => (await team.rows()).length === 0);
  const { body } = await team.owner.call('GET', team.path('/forge-app'));
  assert.deepEqual(body['installations'], []);
  const types = (await product.entries(team.integrationId)).map(({ type }) => type);
  assert.ok(types.includes('forge_app.uninstalled'));
});

test('a large organization is read page by page and continues after a rate limit', async () => {
  const many = Array.from({ length: 250 }, (_, index) => account(`many-${index}`));
  let limits = 0;
  forge.calls.length = 0;
  forge.interfere = (call) => {
    if (!call.endsWith('page 2') || limits > 0) return undefined;
    limits += 1;
    return { status: 403, headers: { 'retry-after': '1', 'x-ratelimit-remaining': '0' } };
  };
  const team = await newLinkedTeam(many);
  await team.synced();
  forge.interfere = undefined;
  assert.equal((await team.rows()).length, 250);
  const pages = forge.calls.filter((call) => call.includes('/members page')).map((call) => call.slice(-1));
  assert.deepEqual(pages, ['1', '2', '2', '3']);
});

test('the event log names single joins and departures and summarizes many', async () => {
  const crowd = Array.from({ length: 21 }, (_, index) => account(`crowd-${index}`));
  for (const { id, login } of crowd) await addPerson(database, { forgeLogin: login, forgeId: String(id) });
  const team = await newLinkedTeam(crowd);
  await team.synced();
  forge.members = [boss, ...crowd.slice(20)];
  await team.syncAgain();
  const told = (await product.entries(team.integrationId)).filter(({ type }) => type.startsWith('member.'));
  assert.deepEqual(told.map(({ title }) => title).sort(), [
    '21 members joined with the forge’s organization',
    ...crowd
      .slice(0, 20)
      .map(({ login }) => `${login} left with the forge’s organization`)
      .sort(),
  ]);
});

test('a person who moves to another page during a sync stays a member', async () => {
  const many = Array.from({ length: 150 }, (_, index) => account(`slip-${index}`));
  const team = await newLinkedTeam(many);
  await team.synced();
  assert.equal((await team.rows()).length, 150);
  // Somebody at the front leaves between the pages: the first of page 2 moves to page 1, which was read already.
  forge.beforePage = (page) => {
    if (page === 2) forge.members.splice(1, 1);
  };
  await team.syncAgain();
  forge.beforePage = undefined;
  const slipped = many[99]?.id;
  assert.ok((await team.rows()).some(({ who }) => who === `pending ${slipped}`));
  await team.syncAgain();
  const left = many[0]?.id;
  const rows = await team.rows();
  assert.deepEqual([rows.length, rows.some(({ who }) => who === `pending ${left}`)], [149, false]);
});

test('a person whom the forge does not show stays a member', async () => {
  const [shown, concealed] = [account('shown'), account('concealed')];
  const team = await newLinkedTeam([shown, concealed]);
  await team.synced();
  forge.members = [boss, shown];
  forge.interfere = (call) =>
    call === `GET /orgs/octo-org/members/concealed`
      ? { status: 302, headers: { location: `${forge.url}/orgs/octo-org/public_members/concealed` } }
      : undefined;
  await team.admin.call('POST', team.path(`/forge-app/${team.installationId}/sync`));
  await waitUntil('a failure', async () => (await team.state()).sync.state === 'failed');
  forge.interfere = undefined;
  assert.match((await team.state()).sync.error ?? '', /allowed to read organization members/);
  assert.equal((await team.rows()).length, 2);
  await team.syncAgain();
  assert.equal((await team.rows()).length, 1);
});

test('invalid deliveries are refused with their status and store nothing', async () => {
  const payload = {
    action: 'created',
    installation: { id: 5, account: { id: 1, login: 'x', type: 'User' } },
  };
  assert.equal(
    (await postApp('installation', payload, { secret: 'another secret of 32 characters!!' })).status,
    401,
  );
  assert.equal((await postApp('push', payload)).status, 400);
  assert.equal((await postApp('installation', { action: 'created' })).status, 400);
  assert.deepEqual(await (await postApp('ping', {})).json(), { message: 'ok' });
  assert.equal(await countRows(database, 'forge_installations', { installation_id: 5 }), 0);
});
