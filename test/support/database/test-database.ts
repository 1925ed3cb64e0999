import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { openDatabase, type Database } from '#platform/database/database.ts';
import { migrate } from '#platform/database/migrate.ts';
import { roleConnection, type ServiceRole } from '#platform/database/roles/role-connection.ts';
import { startTestPostgres } from './test-postgres.ts';

/** Roles belong to the cluster, so all test databases share the key of the role passwords. */
export const testMasterKey = Buffer.from('Zm9yZ2V3YXRjaC10ZXN0LW1hc3Rlci1rZXktMzJieXQ=', 'base64').subarray(
  0,
  32,
);

export interface TestDatabase {
  /** Connection string of the owner. */
  url: string;
  api: Database;
  worker: Database;
  /** Runs a statement as the owner, without row-level security. Only to arrange and inspect data. */
  asOwner<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

/**
 * A migrated database for one test file, dropped when the file ends. Cloned from a template, which is created once per
 * state of the migrations.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const cluster = await clusterUrl();
  const template = await ensureTemplate(cluster);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onCluster(cluster, async (client) => {
    await client.query(`create database ${name} template ${template} strategy file_copy`);
    await client.query(`grant connect on database ${name} to forgewatch_api, forgewatch_worker`);
  });
  const url = databaseUrl(cluster, name);
  const owner = new pg.Pool({ connectionString: url, max: 2 });
  owner.on('error', () => {});
  const open = (role: ServiceRole): Database =>
    openDatabase({
      connection: roleConnection(url, role, testMasterKey),
      maxConnections: 8,
      onIdleError: () => {},
    });
  const [api, worker] = [open('forgewatch_api'), open('forgewatch_worker')];
  after(async () => {
    await Promise.all([api.close(), worker.close(), owner.end()]);
    await onCluster(cluster, (client) => client.query(`drop database ${name} with (force)`));
    await stopOwnCluster?.();
  });
  return { url, api, worker, asOwner: async (text, values) => (await owner.query(text, values)).rows };
}

let stopOwnCluster: (() => Promise<void>) | undefined;

/** The test runner starts one cluster for all files. A file that runs alone starts its own. */
async function clusterUrl(): Promise<string> {
  const shared = process.env['FORGEWATCH_TEST_DATABASE_URL'];
  if (shared !== undefined) return shared;
  const own = await startTestPostgres();
  stopOwnCluster = own.stop;
  return own.url;
}

async function ensureTemplate(cluster: string): Promise<string> {
  const name = `template_${await migrationsHash()}`;
  await onCluster(cluster, async (client) => {
    await client.query('select pg_advisory_lock(4821002)');
    const { rowCount } = await client.query('select from pg_database where datname = $1 and datistemplate', [
      name,
    ]);
    if (rowCount === 1) return;
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
    await migrate(databaseUrl(cluster, name), [testMasterKey]);
    await client.query(`alter database ${name} is_template true`);
  });
  return name;
}

async function migrationsHash(): Promise<string> {
  const directory = path.join(import.meta.dirname, '../../../migrations');
  const hash = createHash('sha256');
  for (const file of (await readdir(directory)).sort())
    hash.update(file).update(await readFile(path.join(directory, file)));
  return hash.digest('hex').slice(0, 16);
}

async function onCluster(cluster: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: cluster });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(cluster: string, name: string): string {
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return url.href;
}
