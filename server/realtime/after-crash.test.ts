import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '#platform/database/database.ts';
import { startEmbeddedPostgres } from '#platform/database/embedded-postgres.ts';
import { migrate, roleConnection } from '#platform/database/migrate.ts';
import { testMasterKey } from '#test/support/test-database.ts';
import { waitUntil } from '#test/support/wait-until.ts';
import { beginStreamsAnew } from './after-crash.ts';
import { listPositions } from './store.ts';

const directory = await mkdtemp(path.join(tmpdir(), 'forgewatch-after-crash-'));
await chmod(directory, 0o755);
const postgres = await startEmbeddedPostgres({ directory: path.join(directory, 'cluster') });
after(async () => {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});
await migrate(postgres.url, testMasterKey);

async function asOwner<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The worker's view of the only stream, with connections of its own. */
async function epoch(integrationId: string): Promise<string | undefined> {
  const worker = openDatabase({
    connection: roleConnection(postgres.url, 'forgewatch_worker', testMasterKey),
    maxConnections: 4,
    onIdleError: () => {},
    firstStatement: beginStreamsAnew,
  });
  const positions = await Promise.all(
    Array.from({ length: 4 }, () =>
      worker.withScope({ integrationId }, (tx) => listPositions(tx, [integrationId])),
    ),
  );
  await worker.close();
  const epochs = new Set(positions.map(([position]) => position?.epoch));
  assert.equal(epochs.size, 1, 'every connection sees the same epoch');
  return [...epochs][0];
}

test('after a crash of the database counters begin under another epoch, after a restart they go on', async () => {
  const [row] = await asOwner<{ id: string }>(
    `insert into integrations (label, webhook_secret) values ('Crash', '\\x00') returning integration_id as id`,
  );
  const integrationId = row?.id ?? '';
  const first = await epoch(integrationId);
  assert.equal(await epoch(integrationId), first);

  const crashed = postgres.pid();
  process.kill(crashed, 'SIGKILL');
  await waitUntil('Postgres to be started again', () => postgres.pid() !== crashed);
  const second = await waitUntil('a connection', () => epoch(integrationId).catch(() => undefined));
  assert.notEqual(second, first);

  const restarted = postgres.pid();
  process.kill(restarted, 'SIGINT');
  await waitUntil('another start', () => postgres.pid() !== restarted);
  assert.equal(await waitUntil('a connection', () => epoch(integrationId).catch(() => undefined)), second);
});
