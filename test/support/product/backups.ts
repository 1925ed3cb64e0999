import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { Encrypter } from 'age-encryption';
import pg from 'pg';
import { noProgress, writeBackup } from '#server/backup/write-backup.ts';
import { testMasterKey, type TestDatabase } from '#test/support/database/test-database.ts';
import { runProduct } from './product-process.ts';

export const backupPassphrase = 'correct horse battery staple';

/** Runs `backup` or `restore`, which must succeed. Returns what it prints. */
export async function runBackup<Summary>(args: string[], env: NodeJS.ProcessEnv): Promise<Summary> {
  const { code, stdout, stderr } = await runProduct(args, { BACKUP_PASSPHRASE: backupPassphrase, ...env });
  assert.equal(code, 0, stderr);
  assert.ok(!`${stdout}${stderr}`.includes(backupPassphrase));
  return JSON.parse(stdout) as Summary;
}

/** Writes what `backup` writes, but the passphrase becomes a key at once instead of in two seconds: for tests that restore it often. */
export async function writeCheapBackup({ url }: TestDatabase, file: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const about = { version: '1', keys: [testMasterKey.toString('base64')] };
  const content = await buffer(writeBackup(client, about, noProgress()));
  await client.end();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(backupPassphrase);
  encrypter.setScryptWorkFactor(1);
  await writeFile(file, await encrypter.encrypt(zstdCompressSync(content)));
}
