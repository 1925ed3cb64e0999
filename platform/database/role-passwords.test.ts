import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import pg from 'pg';
import { startTestPostgres } from '#test/support/test-postgres.ts';
import { migrate, roleConnection, serviceRoles, type ServiceRole } from './migrate.ts';

// Roles belong to the cluster: on the one that tests share, nobody else could log in any more.
const cluster = await startTestPostgres();
after(cluster.stop);
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

/** Whether a process that runs with this key can open another connection. */
async function connects(role: ServiceRole, key: Buffer): Promise<boolean> {
  const client = new pg.Client(roleConnection(cluster.url, role, key));
  const isIn = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end();
  return isIn;
}

test('a key is replaced while processes with the old one run: nobody is locked out', async () => {
  await migrate(cluster.url, [oldKey]);
  const { roleKeys } = await migrate(cluster.url, [newKey, oldKey]);
  for (const role of serviceRoles) {
    assert.ok(await connects(role, oldKey));
    assert.ok(await connects(role, roleKeys[role]));
  }
});

test('once the old key is gone from the list, the new one lets in', async () => {
  const { roleKeys } = await migrate(cluster.url, [newKey]);
  for (const role of serviceRoles) {
    assert.equal(roleKeys[role], newKey);
    assert.ok(await connects(role, newKey));
    assert.ok(!(await connects(role, oldKey)));
  }
});

test('however the URL names the owner, the service runs as its own roles', async () => {
  const { hostname, port, username, password, pathname } = new URL(cluster.url);
  const query = new URLSearchParams({ host: hostname, port, user: username, password });
  for (const ownerUrl of [cluster.url, `postgres://${pathname}?${query}`]) {
    const { roleKeys } = await migrate(ownerUrl, [newKey]);
    for (const role of serviceRoles) {
      const client = new pg.Client(roleConnection(ownerUrl, role, roleKeys[role]));
      await client.connect();
      const { rows } = await client.query('select current_user as name');
      await client.end();
      assert.deepEqual(rows, [{ name: role }]);
    }
  }
});

test('a server that refuses for another reason is not told another password', async () => {
  const client = new pg.Client(cluster.url);
  await client.connect();
  try {
    await client.query('alter role forgewatch_api connection limit 0');
    await assert.rejects(migrate(cluster.url, [oldKey, newKey]), { code: '53300' });
    await client.query('alter role forgewatch_api connection limit -1');
  } finally {
    await client.end();
  }
  assert.ok(await connects('forgewatch_api', newKey));
});
