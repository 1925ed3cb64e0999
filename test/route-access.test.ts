import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atLeast, roles } from '#contract/members/roles.ts';
import type { Route } from '#server/route.ts';
import { integrationRows } from '#test/support/database/integration-rows.ts';
import { pathOf, type Call } from '#test/support/product/examples/example.ts';
import { examples, openRoutes, routeEnv } from '#test/support/product/route-examples.ts';
import { startTeamProduct, type Answer, type Person, type Team } from '#test/support/team/team.ts';

const product = await startTeamProduct(routeEnv());
const { database, newTeam, person, publicUrl } = product;
const { routes } = product.program;

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const asksWho = (row: Route): boolean =>
  ['signed-in', 'session-or-token'].includes(String(row.access)) || roleOf(row) !== undefined;
const guarded = routes.filter(asksWho);
const outsider = await person('outsider');

function roleOf({ access }: Route) {
  return typeof access === 'object' && 'role' in access ? access.role : undefined;
}

function exampleOf(row: Route, team: Team, caller = team.owner): Call | Promise<Call> {
  const example = examples[nameOf(row)];
  if (example === undefined) throw new Error(`${nameOf(row)} has no example`);
  return example({ product, team, caller });
}

function ask(row: Route, who: Person, integrationId: string, call: Call): Promise<Answer> {
  return who.call(row.method, pathOf(row, integrationId, call), call.body);
}

async function askAnonymously(row: Route, integrationId: string, call: Call) {
  const response = await fetch(publicUrl + pathOf(row, integrationId, call), {
    method: row.method,
    headers: call.body === undefined ? {} : { 'content-type': 'application/json' },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  return [response.status, ((await response.json()) as { code: string }).code];
}

/** Refusals that are no matter of the role: the owner cannot end their own membership, and no role administers a forge. */
function refusalByRule(row: Route, role: string): string | undefined {
  if (role === 'owner' && row.path.endsWith('/leave')) return 'owner_cannot_leave';
  if (row.method === 'PUT' && row.path.endsWith('/forge-connection')) return 'forge_address_refused';
  return row.method === 'POST' && row.path.endsWith('/forge-app')
    ? 'installation_not_administered'
    : undefined;
}

test('every route has a row in this matrix and every row a route', () => {
  assert.deepEqual(guarded.map(nameOf).sort(), Object.keys(examples).sort());
  assert.deepEqual(
    routes
      .filter((row) => !asksWho(row))
      .map(nameOf)
      .sort(),
    openRoutes.toSorted(),
  );
});

for (const row of guarded) {
  const minimum = roleOf(row);
  test(`${nameOf(row)}: ${minimum ?? 'any signed-in user'} and above are allowed, refused calls change nothing`, async () => {
    const team = await newTeam();
    const call = await exampleOf(row, team);
    const before = await integrationRows(database, team.integrationId);
    assert.deepEqual(await askAnonymously(row, team.integrationId, call), [401, 'unauthenticated']);
    const refused = minimum === undefined ? [] : roles.filter((role) => !atLeast(role, minimum));
    for (const who of minimum === undefined ? [] : [outsider, ...refused.map((role) => team[role])]) {
      const { status, body } = await ask(row, who, team.integrationId, call);
      assert.deepEqual([status, body.code], [403, 'insufficient_role'], who.login);
    }
    assert.deepEqual(await integrationRows(database, team.integrationId), before);

    for (const role of roles.filter((each) => !refused.includes(each))) {
      const own = row.method === 'GET' ? team : await newTeam();
      const itsCall = row.method === 'GET' ? call : await exampleOf(row, own, own[role]);
      const { status, body } = await ask(row, own[role], own.integrationId, itsCall);
      const refusal = refusalByRule(row, role);
      const isExpected =
        refusal === undefined ? status < 300 || status === 409 : status === 403 && body.code === refusal;
      assert.ok(isExpected, `${role}: ${status} ${JSON.stringify(body)}`);
    }
    if (minimum === undefined) {
      const { status } = await ask(
        row,
        outsider,
        team.integrationId,
        await exampleOf(row, await newTeam(), outsider),
      );
      assert.ok(status < 300, String(status));
    }
  });
}

test('viewers read deliveries and dead letters, only admins act on them', () => {
  const rows = guarded.filter(({ path }) => /\/:integrationId\/(deliveries|dead-letters)/.test(path));
  assert.ok(rows.length >= 7);
  for (const row of rows) assert.equal(roleOf(row), row.method === 'GET' ? 'viewer' : 'admin', nameOf(row));
});

const nested = guarded.filter(({ path }) => path.replace(':integrationId', '').includes(':'));

test('objects of another integration cannot be reached or changed through one’s own', async () => {
  const stranger = await person('stranger');
  const { body } = await stranger.call('POST', '/api/integrations', { label: 'Own' });
  const ownId = String(body['integrationId']);
  assert.ok(nested.length >= 10);
  for (const row of nested) {
    const theirs = await newTeam();
    const call = await exampleOf(row, theirs);
    const before = await integrationRows(database, theirs.integrationId);
    const answer = await ask(row, stranger, ownId, call);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], nameOf(row));
    assert.deepEqual(await integrationRows(database, theirs.integrationId), before, nameOf(row));
  }
});

test('a body with unknown fields, such as another integration, is refused', async () => {
  const theirs = await newTeam();
  for (const row of guarded.filter((each) => each.body !== undefined)) {
    const team = await newTeam();
    const call = await exampleOf(row, team);
    for (const extra of [{ integrationId: theirs.integrationId }, { actorId: team.viewer.userId }]) {
      const answer = await ask(row, team.owner, team.integrationId, {
        ...call,
        body: { ...call.body, ...extra },
      });
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'], nameOf(row));
    }
  }
});

test('refused requests are logged without their content', async () => {
  const { integrationId } = await newTeam();
  await outsider.call('PATCH', `/api/integrations/${integrationId}?q=secret-query`, { label: 'secret-body' });
  await fetch(`${publicUrl}/api/integrations/${integrationId}`, {
    headers: { cookie: 'accessToken=secret-token' },
  });
  const lines = product
    .logged()
    .split('\n')
    .filter((line) => line.includes('"audit":"refused"') && line.includes(integrationId))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ code, method, path, userId }) => ({ code, method, path, userId })),
    [
      {
        code: 'insufficient_role',
        method: 'PATCH',
        path: `/api/integrations/${integrationId}`,
        userId: outsider.userId,
      },
      { code: 'unauthenticated', method: 'GET', path: `/api/integrations/${integrationId}`, userId: null },
    ],
  );
  assert.doesNotMatch(product.logged(), /secret-(query|body|token)/);
});
