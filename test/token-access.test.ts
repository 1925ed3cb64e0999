import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atLeast, roles, type Role } from '#contract/members/roles.ts';
import { makeToken } from '#server/api-tokens/token-format.ts';
import type { Route } from '#server/route.ts';
import {
  expire,
  integrationToken,
  personalToken,
  tokenClient,
  type TokenClient,
} from '#test/support/identity/token-client.ts';
import { pathOf } from '#test/support/product/examples/example.ts';
import { examples, routeEnv } from '#test/support/product/route-examples.ts';
import { startTeamProduct, type Answer, type Person, type Team } from '#test/support/team/team.ts';

const product = await startTeamProduct({
  ...routeEnv(),
  API_REQUESTS_PER_MINUTE: '100000',
  // Each refusal comes from an address of its own: guesses are limited by address.
  TRUSTED_PROXIES: '127.0.0.1/32',
});
const { newTeam, person, publicUrl } = product;

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const roleAccess = ({ access }: Route) =>
  typeof access === 'object' && 'role' in access ? access : undefined;
const rows = product.program.routes.filter((row) => nameOf(row) in examples);
const takesTokens = (row: Route): boolean =>
  row.access === 'session-or-token' || (roleAccess(row) !== undefined && roleAccess(row)?.by !== 'session');

const home = await newTeam();
const mine = {
  viewer: await personalToken(product, home.viewer),
  member: await personalToken(product, home.member),
  admin: await personalToken(product, home.admin),
  owner: await personalToken(product, home.owner),
};
const readOnly = await personalToken(product, home.owner, { scopes: ['read'] });
const limited = await personalToken(product, home.owner, { integrationIds: [home.integrationId] });
const outsider = await personalToken(product, await person('outsider'));
const foreign = await integrationToken(product, home, 'member');

const ended = await personalToken(product, home.owner);
await expire(product, ended);
const endedOfIntegration = await integrationToken(product, home, 'member');
await expire(product, endedOfIntegration);
const revoked = await personalToken(product, home.owner);
await home.owner.call('DELETE', `/api/user/tokens/${revoked.tokenId}`);
const revokedOfIntegration = await integrationToken(product, home, 'member');
await home.owner.call('DELETE', home.path(`/tokens/${revokedOfIntegration.tokenId}`));
const unknown = tokenClient(publicUrl, { tokenId: '', token: makeToken() });
const malformed = tokenClient(publicUrl, { tokenId: '', token: `${mine.owner.token.slice(0, -1)}_` });

const codeOf = ({ status, body }: Answer): unknown[] => [status, body.code];

/** Refusals come before the path and the body are looked at. */
const askInVain = async (row: Route, client: TokenClient, team: Team): Promise<unknown[]> =>
  codeOf(await client.call(row.method, pathOf(row, team.integrationId)));

async function ask(row: Route, client: TokenClient, team: Team): Promise<Answer> {
  const call = await examples[nameOf(row)]?.({ product, team, caller: team.owner });
  return client.call(row.method, pathOf(row, team.integrationId, call), call?.body);
}

/** What a route may answer to an allowed caller: its own rules refuse some, whatever the credential. */
function assertAllowed(row: Route, { status, body }: Answer, who: string): void {
  const isByRule = ['owner_cannot_leave', 'installation_not_administered'].includes(body.code ?? '');
  // What belongs to the caller is created for the owner, so others do not find it.
  const isPersonal = status === 404 && roleAccess(row)?.by === 'person';
  const isExpected = status < 300 || status === 409 || isByRule || isPersonal;
  assert.ok(isExpected, `${who}: ${status} ${JSON.stringify(body)}`);
}

/** All of them, also on paths for which a browser has none. */
const cookiesOf = ({ browser }: Person): string =>
  [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`).join('; ');

let asked = 0;
/** From an address that nobody used before. */
const fromElsewhere = (): Record<string, string> => {
  asked += 1;
  return { 'x-forwarded-for': `10.${asked >> 16}.${(asked >> 8) & 255}.${asked & 255}` };
};

test('every route with a caller refuses tokens that are not valid, and a token with a session', async () => {
  const withCaller = product.program.routes.filter(
    (row) => nameOf(row) in examples || row.access === 'token',
  );
  assert.ok(withCaller.length > 50);
  const invalid = { ended, endedOfIntegration, revoked, revokedOfIntegration, unknown, malformed };
  for (const row of withCaller) {
    const path = pathOf(row, home.integrationId);
    for (const [name, client] of Object.entries(invalid)) {
      const what = `${name} ${nameOf(row)}`;
      const answer = await client.call(row.method, path, undefined, fromElsewhere());
      assert.deepEqual(codeOf(answer), [401, 'invalid_token'], what);
      if (row.takesBasic !== true) continue;
      const authorization = `Basic ${Buffer.from(`token:${client.token}`).toString('base64')}`;
      const asPassword = await client.call(row.method, path, undefined, {
        ...fromElsewhere(),
        authorization,
      });
      assert.deepEqual(codeOf(asPassword), [401, 'invalid_token'], `${what} as password`);
    }
    const both = await home.owner.browser.fetch(publicUrl + path, {
      method: row.method,
      headers: { authorization: `Bearer ${mine.owner.token}`, cookie: cookiesOf(home.owner) },
    });
    assert.equal(both.status, 400, nameOf(row));
    assert.equal(((await both.json()) as { code: string }).code, 'ambiguous_credentials');
  }
});

test('no token reads the account, uses session routes or touches tokens', async () => {
  const closed = rows.filter((row) => !takesTokens(row));
  assert.deepEqual(closed.map(nameOf).sort(), [
    'DELETE /api/integrations/:integrationId/forge-connection',
    'DELETE /api/integrations/:integrationId/tokens/:tokenId',
    'DELETE /api/integrations/:integrationId/trace-export',
    'DELETE /api/user/tokens',
    'DELETE /api/user/tokens/:tokenId',
    'GET /api/integrations/:integrationId/forge-connection/repositories',
    'GET /api/integrations/:integrationId/tokens',
    'GET /api/invitations',
    'GET /api/user',
    'GET /api/user/notifications',
    'GET /api/user/tokens',
    'POST /api/integrations',
    'POST /api/integrations/:integrationId/share-links',
    'POST /api/integrations/:integrationId/tokens',
    'POST /api/integrations/:integrationId/trace-export/test',
    'POST /api/invitations/:invitationId/accept',
    'POST /api/invitations/accept',
    'POST /api/invitations/preview',
    'POST /api/user/tokens',
    'PUT /api/integrations/:integrationId/forge-connection',
    'PUT /api/integrations/:integrationId/forge-connection/repositories',
    'PUT /api/integrations/:integrationId/trace-export',
    'PUT /api/user/notifications',
  ]);
  const own = await integrationToken(product, home, 'member');
  for (const row of closed)
    for (const client of [mine.owner, own])
      assert.deepEqual(await askInVain(row, client, home), [403, 'token_not_allowed'], nameOf(row));
});

test('a token for reports uploads reports and reads the tests in quarantine, and nothing else', async () => {
  const ofIntegration = await integrationToken(product, home, 'reports');
  const ofOwner = await personalToken(product, home.owner, { scopes: ['reports'] });
  const taken = rows.filter((row) => roleAccess(row)?.scope === 'reports');
  assert.deepEqual(taken.map(nameOf).sort(), [
    'GET /api/integrations/:integrationId/quarantine.json',
    'GET /api/integrations/:integrationId/quarantine.txt',
    'POST /api/integrations/:integrationId/test-reports',
  ]);
  for (const client of [ofIntegration, ofOwner]) {
    for (const row of taken) assertAllowed(row, await ask(row, client, home), nameOf(row));
    for (const row of rows.filter((each) => !taken.includes(each))) {
      const { status, body } = await client.call(row.method, pathOf(row, home.integrationId));
      assert.equal(status, 403, nameOf(row));
      assert.match(body.code ?? '', /^(insufficient_scope|token_not_allowed)$/, nameOf(row));
    }
  }
  for (const row of product.program.routes.filter(({ path }) => path.startsWith('/api/job/'))) {
    const { status, body } = await ofIntegration.call(row.method, pathOf(row, home.integrationId));
    assert.deepEqual([status, body.code], [401, 'invalid_job_token'], nameOf(row));
  }
});

for (const row of rows.filter((each) => roleAccess(each) !== undefined && takesTokens(each))) {
  const { role: minimum, by } = roleAccess(row) ?? { role: 'owner' as Role };
  test(`${nameOf(row)} with a token: ${minimum} and above, with the scope write for changes`, async () => {
    const team = await newTeam();
    const strangers = by === 'person' ? [outsider, limited] : [outsider, foreign, limited];
    for (const client of strangers)
      assert.deepEqual(await askInVain(row, client, team), [403, 'insufficient_role']);
    for (const role of roles.filter((each) => !atLeast(each, minimum)))
      assert.deepEqual(await askInVain(row, mine[role], team), [403, 'insufficient_role'], role);
    if (row.method !== 'GET')
      assert.deepEqual(await askInVain(row, readOnly, team), [403, 'insufficient_scope']);

    const own = await integrationToken(product, team, 'member');
    if (by === 'person') assert.deepEqual(await askInVain(row, own, team), [403, 'token_not_allowed']);
    else if (!atLeast('member', minimum))
      assert.deepEqual(await askInVain(row, own, team), [403, 'insufficient_role']);
    else assertAllowed(row, await ask(row, own, team), 'member token of the integration');
    const reader = await integrationToken(product, team, 'viewer');
    if (by === 'person') assert.deepEqual(await askInVain(row, reader, team), [403, 'token_not_allowed']);
    else if (row.method !== 'GET')
      assert.deepEqual(await askInVain(row, reader, team), [403, 'insufficient_scope']);
    else if (minimum !== 'viewer')
      assert.deepEqual(await askInVain(row, reader, team), [403, 'insufficient_role']);
    else assertAllowed(row, await ask(row, reader, team), 'viewer token of the integration');

    for (const role of roles.filter((each) => atLeast(each, minimum))) {
      const next = row.method === 'GET' ? team : await newTeam();
      assertAllowed(row, await ask(row, mine[role], next), role);
    }
  });
}
