import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { registerRoutes } from '#platform/http/register.ts';
import { makeHttpServer } from '#platform/http/server.ts';
import { integrationRows } from '#test/support/database/integration-rows.ts';
import { examples, openRoutes } from '#test/support/product/route-examples.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct();
const { database, newTeam, person } = product;
const outsider = await person('outsider');

/** The routes of the product as somebody would serve them who forgot every check of a role. */
const unguarded = makeHttpServer(pino({ enabled: false }));
unguarded.decorateRequest('caller', undefined);
unguarded.addHook('onRequest', async (request) => {
  request.caller = {
    userId: outsider.userId,
    username: 'outsider',
    email: 'outsider@example.com',
    isEmailVerified: true,
    sessionId: 'session',
  };
});
let url: string;

before(async () => {
  await registerRoutes(unguarded, product.program.routes, {
    guard: () => undefined,
    describe: () => '',
    credentials: () => [],
  });
  url = await unguarded.listen({ host: '127.0.0.1', port: 0 });
});
after(() => unguarded.close());

for (const row of product.program.routes) {
  const name = `${row.method} ${row.path}`;
  if (!row.path.startsWith('/api/integrations/:integrationId') || openRoutes.includes(name)) continue;

  test(`${name} without its role check: the database returns and changes nothing`, async () => {
    const label = `secret-${randomUUID()}`;
    const theirs = await newTeam(label);
    const call = await examples[name]?.({ product, team: theirs, caller: theirs.owner });
    const before = await integrationRows(database, theirs.integrationId);
    const values: Record<string, string> = { integrationId: theirs.integrationId, ...call?.params };
    const answer = await fetch(url + row.path.replace(/:(\w+)/g, (_, key: string) => values[key] ?? ''), {
      method: row.method,
      headers: call?.body === undefined ? {} : { 'content-type': 'application/json' },
      ...(call?.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    const text = await answer.text();
    const { viewer, member, admin, owner } = theirs;
    for (const secret of [
      label,
      'Broken main',
      ...[viewer, member, admin, owner].map(({ userId }) => userId),
    ])
      assert.equal(text.includes(secret), false, text);
    if (answer.headers.get('content-type')?.includes('xml')) assert.doesNotMatch(text, /<(entry|Project)\b/);
    else if (answer.headers.get('content-type')?.includes('openmetrics'))
      assert.deepEqual(
        readOpenMetrics(text).flatMap(({ samples }) => samples),
        [],
      );
    else {
      const { items = [] } = (text === '' ? {} : JSON.parse(text)) as { items?: unknown[] };
      assert.deepEqual(items, []);
    }
    assert.deepEqual(await integrationRows(database, theirs.integrationId), before);
  });
}
