import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { migrationsDirectory } from '#platform/database/migrate.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { startTestPostgres } from '#test/support/database/test-postgres.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { backupPassphrase, writeCheapBackup } from '#test/support/product/backups.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { productProgram, runProduct } from '#test/support/product/product-process.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const sealer = makeSealer([testMasterKey]);
const directory = await makeTemporaryDirectory();

/** Starts the command, and kills it once a session of the database waits for the lock. */
async function killAt(lock: () => Promise<unknown>, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [productProgram, ...args], { env: { ...process.env, ...env } });
  await lock();
  child.kill('SIGKILL');
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

test('a restore that is killed leaves nothing, and loads everything when it is started again', async () => {
  const [source, target] = [await createTestDatabase(), await createTestDatabase()];
  for (const id of [randomUUID(), randomUUID()])
    await insertIntegration(source, id, sealer.seal(Buffer.from('secret'), secretContext(id)));
  const file = path.join(directory, 'killed.age');
  const env = { ...productEnv(source.url, directory), BACKUP_PASSPHRASE: backupPassphrase };
  await writeCheapBackup(source, file);
  const into = { ...env, DATABASE_URL: target.url };

  const holder = new pg.Client(target.url);
  await holder.connect();
  // Its rows follow those of integrations.
  await holder.query('begin; lock table workflow_runs in access share mode');
  await killAt(() => untilSessionWaits(target, 'the restore'), ['restore', file], into);
  await holder.query('rollback');
  await holder.end();
  assert.deepEqual(await target.asOwner('select from integrations'), []);

  const { code, stderr } = await runProduct(['restore', file], into);
  assert.equal(code, 0, stderr);
  assert.equal((await target.asOwner('select from integrations')).length, 2);
});

test('a migration that is killed applies nothing, and ends when it is started again', async (t) => {
  const postgres = await startTestPostgres();
  t.after(() => postgres.stop());
  const holder = new pg.Client(postgres.url);
  await holder.connect();
  const env = productEnv(postgres.url, await makeTemporaryDirectory());
  // Creating this table, which is not among the first, waits for the lock.
  await holder.query(`
    create function wait_for_test() returns event_trigger language plpgsql as $$ begin
      if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.incidents') then
        perform pg_advisory_xact_lock(77);
      end if;
    end $$;
    create event trigger waits on ddl_command_end execute function wait_for_test();
    select pg_advisory_lock(77)`);
  const asOwner = async <Row extends pg.QueryResultRow>(text: string) => (await holder.query<Row>(text)).rows;
  const database = { asOwner } as Parameters<typeof untilSessionWaits>[0];
  await killAt(() => untilSessionWaits(database, 'the migration'), ['migrate'], env);
  await holder.query('select pg_advisory_unlock(77); drop event trigger waits');
  const applied = () => asOwner<{ name: string }>('select name from schema_migrations order by id');

  const { code, stderr } = await runProduct(['migrate'], env);
  assert.equal(code, 0, stderr);
  const files = (await readdir(migrationsDirectory)).toSorted();
  assert.deepEqual(
    (await applied()).map(({ name }) => `${name}.sql`),
    files,
  );
  await holder.end();
});
