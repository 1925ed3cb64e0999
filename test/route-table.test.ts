import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRoutes, type Route } from '#server/route.ts';

const at = (path: string, access: Route['access']): Route => ({
  method: 'GET',
  path,
  access,
  summary: '',
  handle: async () => {},
});
const one = '/api/integrations/:integrationId';
const right = [
  at(one, { role: 'viewer' }),
  at('/api/user', 'signed-in'),
  at('/healthz', 'everybody'),
  at('/api/import/:integrationId', { verifiedBy: 'integration-signature' }),
];

test('a complete table is accepted', () => checkRoutes(right, ['/api/import/']));

for (const [hole, routes, prefixes, message] of [
  ['a route of an integration without a role', [at(one, 'signed-in')], [], /declares no minimum role/],
  [
    'a route that verifies its caller outside the public prefixes',
    [at('/api/hook', { verifiedBy: 'app-signature' })],
    [],
    /and the public prefixes disagree/,
  ],
  [
    'a route for who is signed in under a public prefix',
    [at('/api/import/mine', 'signed-in')],
    [],
    /and the public prefixes disagree/,
  ],
  ['a route of the API for everybody', [at('/api/all', 'everybody')], [], /is open to everybody/],
  ['a prefix that no route needs', [], ['/api/auth/callback'], /covers no route/],
] as [string, Route[], string[], RegExp][]) {
  test(`${hole} stops the start`, () =>
    assert.throws(() => checkRoutes([...right, ...routes], ['/api/import/', ...prefixes]), message));
}
