import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForgeAccount } from '#test/support/forge/forge-api-payloads.ts';
import { forgeAppEnv, startForgeApi } from '#test/support/forge/forge-api-server.ts';
import { refused, startTeamProduct, type Answer, type Person, type Team } from '#test/support/team/team.ts';
import { linkAccount } from '#test/support/team/people.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';

const forge = await startForgeApi();
const product = await startTeamProduct({ ...forgeAppEnv(forge), API_REQUESTS_PER_MINUTE: '1000000' });
const { database, newTeam, person } = product;

const installation = { ...forge.organization, type: 'Organization' as const };
forge.installations.set(77, installation);
const owner: ForgeAccount = { id: 1, login: 'owner' };
forge.members = [owner];
forge.admins.add(owner.id);

/** As the identity provider vouches for it. */
const isAtForge = ({ userId }: Person, { id, login }: ForgeAccount): Promise<void> =>
  linkAccount(database, userId, id, login);

async function newOwnedTeam(): Promise<Team> {
  const team = await newTeam();
  await isAtForge(team.owner, owner);
  return team;
}

const proofOf = async (who: Person, team: Team): Promise<unknown> =>
  (await who.call('POST', team.path('/forge-app/setup'))).body['proof'];

const linkWith = (who: Person, team: Team, proof: unknown, installationId = '77'): Promise<Answer> =>
  who.call('POST', team.path('/forge-app'), { installationId, proof });

const link = async (who: Person, team: Team, installationId?: string): Promise<Answer> =>
  linkWith(who, team, await proofOf(who, team), installationId);

async function isRefused(team: Team, answering: Promise<Answer>): Promise<void> {
  const { status, body } = await answering;
  assert.deepEqual([status, body.code], [403, 'installation_not_administered']);
  const { body: state } = await team.owner.call('GET', team.path('/forge-app'));
  assert.deepEqual(state['installations'], []);
}

test('a proof is valid only for its person and its integration', async () => {
  const [team, other] = [await newOwnedTeam(), await newOwnedTeam()];
  await isRefused(team, linkWith(team.owner, team, await proofOf(team.admin, team)));
  await isRefused(team, linkWith(team.owner, team, await proofOf(team.owner, other)));
  await isRefused(team, linkWith(team.owner, team, 'nonsense'));
  assert.equal((await link(team.owner, team)).status, 201);
});

test('an integration has at most 50 linked installations', async () => {
  const team = await newOwnedTeam();
  for (let id = 10_001; id <= 10_050; id += 1) await insertInstallation(database, id, [team.integrationId]);
  refused(await link(team.owner, team), 409, 'conflict');
  assert.equal((await team.owner.call('DELETE', team.path('/forge-app/10050'))).status, 204);
  assert.equal((await link(team.owner, team)).status, 201);
});

test('a member, an invited person and a former admin of the same name cannot link an installation', async () => {
  const team = await newOwnedTeam();
  // The login of their tokens, which each request stores.
  const eve = { id: 2, login: 'admin' };
  await isAtForge(team.admin, eve);
  await isRefused(team, link(team.admin, team));
  forge.members.push(eve);
  await isRefused(team, link(team.admin, team));
  forge.admins.add(eve.id);
  forge.invited.add(eve.id);
  await isRefused(team, link(team.admin, team));
  forge.invited.clear();
  await isAtForge(team.admin, { id: 3, login: eve.login });
  await isRefused(team, link(team.admin, team));
  await isRefused(team, link(team.owner, team, '999999'));
  await isAtForge(team.admin, eve);
  assert.equal((await link(team.admin, team)).status, 201);
});

test('the installation of a personal account is linked only by that person', async () => {
  const team = await newOwnedTeam();
  forge.installations.set(78, { id: 4, login: 'zoe', type: 'User' });
  await isRefused(team, link(team.owner, team, '78'));
  await isAtForge(await person('admin'), { id: 4, login: 'zoe' });
  assert.equal((await link(team.admin, team, '78')).status, 201);
});

test('a refusal of the forge is not retried and says what to check', async () => {
  const team = await newOwnedTeam();
  const message = 'Resource not accessible by integration';
  forge.interfere = (call) => (call.includes('/memberships/') ? { status: 403, message } : undefined);
  const refused = await link(team.owner, team);
  forge.interfere = undefined;
  assert.deepEqual([refused.status, refused.body.code], [503, 'forge_unavailable']);
  assert.match(String(refused.body['detail']), /\(403\).*allowed to read organization members/);

  forge.installations.set(77, { ...installation, suspendedAt: '2026-11-20T00:00:00Z' });
  const suspended = await link(team.owner, team);
  assert.deepEqual([suspended.status, suspended.body.code], [409, 'conflict']);
  assert.match(String(suspended.body['detail']), /Unsuspend it at the forge/);
  forge.installations.set(77, installation);
  assert.equal((await link(team.owner, team)).status, 201);
});

test('a failure of the forge is retried after the delay it names', async () => {
  const team = await newOwnedTeam();
  for (const [answer, waits] of [
    [{ status: 500 }, '30'],
    [{ status: 429, headers: { 'retry-after': '90' } }, '90'],
  ] as const) {
    forge.interfere = () => answer;
    const { status, body, headers } = await link(team.owner, team);
    forge.interfere = undefined;
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'forge_unavailable', waits]);
  }
});
