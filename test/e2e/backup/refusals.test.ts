import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { test } from 'node:test';
import pg from 'pg';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { backupPassphrase, writeCheapBackup } from '#test/support/product/backups.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { productProgram, runProduct } from '#test/support/product/product-process.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';

const source = await createTestDatabase();
const target = await createTestDatabase();
const directory = await makeTemporaryDirectory();
const file = path.join(directory, 'good.age');
const env = { ...productEnv(source.url, directory), BACKUP_PASSPHRASE: backupPassphrase };
const into = { ...env, DATABASE_URL: target.url };

const id = randomUUID();
await insertIntegration(
  source,
  id,
  makeSealer([testMasterKey]).seal(Buffer.from('secret'), secretContext(id)),
);
// More than one chunk of 64 KiB, which age verifies one by one.
await source.asOwner(
  `insert into large_payload (group_id, body)
   select $1, (select string_agg(sha256((n || '/' || m)::bytea), '') from generate_series(1, 4000) m) from generate_series(1, 4) n`,
  [id],
);
await writeCheapBackup(source, file);
const good = await readFile(file);

/** The restore fails with the message, and nothing of the backup is there. */
async function refuses(args: string[], message: RegExp, other: NodeJS.ProcessEnv = {}): Promise<void> {
  const { code, stdout, stderr } = await runCommand(['restore', ...args], { ...into, ...other });
  assert.deepEqual([code, stdout], [1, ''], stderr);
  assert.match(stderr, message);
  const rows = await target.asOwner('select from integrations union all select from large_payload');
  assert.equal(rows.length, 0);
}

async function changed(name: string, bytes: Buffer): Promise<string> {
  const changedFile = path.join(directory, name);
  await writeFile(changedFile, bytes);
  return changedFile;
}

test('a wrong passphrase opens nothing', () =>
  refuses([file], /The passphrase does not open .*good\.age/, {
    BACKUP_PASSPHRASE: 'wrong horse battery staple',
  }));

test('a changed byte, a missing end and another file are refused before anything is visible', async () => {
  const damaged = /is damaged, incomplete or no backup .*Nothing was restored/;
  for (const at of [good.length - 1, Math.floor(good.length / 2), 400]) {
    const bytes = Buffer.from(good);
    bytes[at] = bytes[at]! ^ 1;
    await refuses([await changed(`flipped-${at}.age`, bytes)], damaged);
  }
  const afterHeader = good.indexOf('\n--- ') + 5 + 43 + 1 + 16;
  const chunk = 64 * 1024 + 16;
  const whole = Math.floor((good.length - afterHeader) / chunk);
  assert.ok(whole > 1);
  for (const length of [good.length - 1, afterHeader + whole * chunk, afterHeader + chunk, 300])
    await refuses([await changed(`cut-${length}.age`, good.subarray(0, length))], damaged);
  await refuses([await changed('other.age', Buffer.from('select 1;\n'.repeat(50)))], damaged);
});

test('a key that is not that of the backup is refused, and the settings that help are named', async () => {
  const other = Buffer.from('b3RoZXIta2V5LW90aGVyLWtleS1vdGhlci1rZXktMzI=', 'base64');
  await refuses([file], /^ENCRYPTION_KEY: is \(hidden\), should list the key .*--key-file FILE/, {
    ENCRYPTION_KEY: other.toString('base64'),
  });
});

test('a newer schema is refused', async () => {
  await source.asOwner(`insert into schema_migrations (name, run_on) values ('9999_next', now())`);
  const newer = path.join(directory, 'newer.age');
  await writeCheapBackup(source, newer);
  await source.asOwner(`delete from schema_migrations where name = '9999_next'`);
  await refuses([newer], /newer schema than this one\. Install that version or a newer one/);
});

test('an older schema is refused in a database that is migrated further', async () => {
  // As text, because a date would lose microseconds, and the order of migrations with them.
  const [last] = await source.asOwner<{ name: string; run_on: string }>(
    'delete from schema_migrations where id = (select max(id) from schema_migrations) returning name, run_on::text',
  );
  const older = path.join(directory, 'older.age');
  await writeCheapBackup(source, older);
  await source.asOwner('insert into schema_migrations (name, run_on) values ($1, $2)', [
    last?.name,
    last?.run_on,
  ]);
  await refuses(
    [older],
    /schema of this database is of another version .* new, empty database \(DATABASE_URL\)/,
  );
});

test('an installation in use is left alone, and so is one with data', async () => {
  const session = new pg.Client(target.api.connection);
  await session.connect();
  await refuses([file], /Forgewatch runs on this database\. Stop all its processes and/);
  await session.end();
  await target.asOwner(`insert into users (cognito_id) values ('somebody')`);
  await refuses([file], /This installation holds data, and restore replaces nothing\. .* new DATA_DIR/);
  await target.asOwner('delete from users');
  await target.asOwner('create table invoices as select 1 as id');
  await refuses([file], /has tables that the backup does not hold \(invoices\)/);
  assert.deepEqual(await target.asOwner('select id from invoices'), [{ id: 1 }]);
  await target.asOwner('drop table invoices');
});

test('a backup that is ended leaves no file', async (t) => {
  const holder = new pg.Client({ connectionString: source.url });
  await holder.connect();
  t.after(() => holder.end());
  await holder.query('begin; lock table workflow_runs');
  const child = spawn(process.execPath, [productProgram, 'backup', `${file}.ended`], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr = text(child.stderr);
  const exited = once(child, 'exit');
  await untilSessionWaits(source, 'the backup');
  assert.ok((await readdir(directory)).some((name) => name.endsWith('.partial')));
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [1, null]);
  // Progress is told before it on a busy machine.
  assert.match(await stderr, /(?:^|\n)Ended by SIGTERM\. Nothing was kept\.\n$/);
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.includes('ended')),
    [],
  );
});

test('a file that exists, a short passphrase and a missing name are refused', async () => {
  const again = await runCommand(['backup', file], env);
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.match(again.stderr, /good\.age exists, and a backup replaces nothing/);
  const short = await runCommand(['backup', `${file}.2`], { ...env, BACKUP_PASSPHRASE: 'too short' });
  assert.deepEqual(
    [short.code, short.stderr],
    [1, 'BACKUP_PASSPHRASE: is (hidden), should be at least 16 characters\n'],
  );
  const unset = await runProduct(['backup', `${file}.2`], { ...env, BACKUP_PASSPHRASE: '' });
  assert.equal(unset.code, 2);
  assert.match(unset.stderr, /^BACKUP_PASSPHRASE: is unset/);
  for (const args of [['backup'], ['restore'], ['backup', 'a', 'b']])
    assert.equal((await runCommand(args, env)).code, 2);
});

test('a database that does not answer is named by its setting', async () => {
  const DATABASE_URL = `postgres://ann:hunter2@127.0.0.1:${await freePort()}/x`;
  for (const args of [
    ['backup', `${file}.4`],
    ['restore', file],
  ]) {
    const { code, stderr } = await runCommand(args, { ...env, DATABASE_URL });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^DATABASE_URL: is \(hidden\), should be a Postgres database that accepts this login: /,
    );
  }
});

test('a backup with the key of another installation is refused', async () => {
  const { code, stderr } = await runCommand(['backup', `${file}.3`], {
    ...env,
    ENCRYPTION_KEY: 'b3RoZXIta2V5LW90aGVyLWtleS1vdGhlci1rZXktMzI=',
  });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /opens 0 of 1 webhook secrets: run backup with the ENCRYPTION_KEY or DATA_DIR of the service/,
  );
});

test('after all refusals a backup is restored, also through pipes', async () => {
  const run = async (verb: string, input: Buffer, other: NodeJS.ProcessEnv): Promise<Buffer> => {
    const child = spawn(process.execPath, [productProgram, verb, '-'], {
      env: { ...process.env, ...other },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(input);
    const [output, [code]] = await Promise.all([buffer(child.stdout), once(child, 'exit')]);
    assert.equal(code, 0);
    return output;
  };
  await run('restore', await run('backup', Buffer.alloc(0), env), into);
  const [payloads] = await target.asOwner<{ same: boolean }>(
    `select count(*) = 4 and bool_and(length(body) = 128000) as same from large_payload`,
  );
  assert.equal(payloads?.same, true);
});
