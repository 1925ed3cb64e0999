import { after } from 'node:test';
import pg from 'pg';
import { openDatabase, type Database } from '#platform/database/database.ts';
import { migrate } from '#platform/database/migrate.ts';
import { roleConnection, type ServiceRole } from '#platform/database/roles/role-connection.ts';
import { testMasterKey, type TestDatabase } from './test-database.ts';
import { startTestPostgres } from './test-postgres.ts';

/**
 * A migrated database in a cluster of its own. The owner in `url` is no superuser, so row-level security applies to it. `asOwner` runs
 * statements as a superuser.
 */
export async function createPlainOwnerDatabase(): Promise<TestDatabase> {
  const cluster = await startTestPostgres();
  const superuserUrl = new URL(cluster.url);
  superuserUrl.pathname = '/plain';
  const url = new URL(superuserUrl);
  Object.assign(url, { username: 'plain', password: 'plain' });
  const start = new pg.Client(cluster.url);
  await start.connect();
  await start.query(`create role plain login createrole password 'plain'`);
  await start.query('create database plain owner plain');
  await start.end();
  await migrate(url.href, [testMasterKey]);
  const superuser = new pg.Pool({ connectionString: superuserUrl.href, max: 2 });
  superuser.on('error', () => {});
  const open = (role: ServiceRole): Database =>
    openDatabase({
      connection: roleConnection(url.href, role, testMasterKey),
      maxConnections: 4,
      onIdleError: () => {},
    });
  const [api, worker] = [open('forgewatch_api'), open('forgewatch_worker')];
  after(async () => {
    await Promise.all([api.close(), worker.close(), superuser.end()]);
    await cluster.stop();
  });
  const asOwner: TestDatabase['asOwner'] = async (text, values) => (await superuser.query(text, values)).rows;
  return { url: url.href, api, worker, asOwner };
}
