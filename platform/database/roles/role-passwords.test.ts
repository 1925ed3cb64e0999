import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import pg from 'pg';
import { startTestPostgres } from '#test/support/database/test-postgres.ts';
import { isDatabaseAway } from '../database-error.ts';
import { openDatabase } from '../database.ts';
import { DatabaseUnusable, migrate, OtherKeyInUse } from '../migrate.ts';
import { roleConnection, serviceRoles, type ServiceRole } from './role-connection.ts';

// Roles belong to the cluster: on the one that tests share, nobody else could log in any more.
const cluster = await startTestPostgres();
after(cluster.stop);
/** Of an owner who is no superuser, and another installation beside. */
const plainUrl = new URL(cluster.url);
Object.assign(plainUrl, { username: 'plain', password: 'plain', pathname: '/plain' });
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

async function asOwner(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client(cluster.url);
  await client.connect();
  return client.query(text).finally(() => client.end());
}

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

test('an owner without CREATEROLE gets advice and needs no superuser rights', async () => {
  await asOwner(`create role plain login password 'plain'`);
  await asOwner('create database plain owner plain');
  await assert.rejects(migrate(plainUrl.href, [oldKey]), {
    constructor: DatabaseUnusable,
    message: /permission denied to create role.*CREATEROLE/,
  });
  await asOwner('alter role plain createrole');
  assert.ok((await migrate(plainUrl.href, [oldKey])).applied.length > 0);
});

test('a key rotation locks out no running process with the old key', async () => {
  await migrate(cluster.url, [oldKey]);
  const { roleKeys } = await migrate(cluster.url, [newKey, oldKey]);
  for (const role of serviceRoles) {
    assert.ok(await connects(role, oldKey));
    assert.ok(await connects(role, roleKeys[role]));
  }
});

test('the new key works after the old one is removed from the list', async () => {
  const { roleKeys } = await migrate(cluster.url, [newKey]);
  for (const role of serviceRoles) {
    assert.equal(roleKeys[role], newKey);
    assert.ok(await connects(role, newKey));
    assert.ok(!(await connects(role, oldKey)));
  }
});

test('the service uses its own roles for every form of the owner URL', async () => {
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

test('a process with another key is refused while others are logged in and locks nobody out', async () => {
  const running = openDatabase({
    connection: roleConnection(cluster.url, 'forgewatch_worker', newKey),
    maxConnections: 1,
    onIdleError: () => {},
  });
  await running.statement({ text: 'select' });
  for (const { href } of [new URL(cluster.url), plainUrl])
    await assert.rejects(migrate(href, [randomBytes(32)]), OtherKeyInUse);
  await running.close();
  for (const role of serviceRoles) assert.ok(await connects(role, newKey), role);
});

test('a refused login counts as an outage', async () => {
  const db = openDatabase({
    connection: roleConnection(cluster.url, 'forgewatch_api', oldKey),
    maxConnections: 1,
    onIdleError: () => {},
  });
  await assert.rejects(db.statement({ text: 'select' }), isDatabaseAway);
  await db.close();
});

test('a login that fails for another reason changes no password', async () => {
  await asOwner('alter role forgewatch_api connection limit 0');
  await assert.rejects(migrate(cluster.url, [oldKey, newKey]), { code: '53300' });
  await asOwner('alter role forgewatch_api connection limit -1');
  assert.ok(await connects('forgewatch_api', newKey));
});

test('a database restored without its roles says how to restore them', async () => {
  for (const role of serviceRoles) await asOwner(`alter role ${role} rename to old_${role}`);
  await assert.rejects(migrate(cluster.url, [newKey]), {
    constructor: DatabaseUnusable,
    message: /role "forgewatch_\w+" does not exist.*create role … nologin/,
  });
});
