import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { backupPassphrase, runBackup } from '#test/support/product/backups.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { productProgram } from '#test/support/product/product-process.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const source = await createTestDatabase();
const target = await createTestDatabase();
const directory = await makeTemporaryDirectory();
const env = { ...productEnv(source.url, directory), BACKUP_PASSPHRASE: '' };
const terminal = '/usr/bin/script';

/** Runs `backup` on a terminal and answers each question when it appears. */
async function onTerminal(
  file: string,
  answers: readonly string[],
): Promise<{ code: number; shown: string }> {
  const command = `"${process.execPath}" "${productProgram}" backup "${file}"`;
  const child = spawn(terminal, ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  let asked = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const questions = shown.split(/backup: |again: /).length - 1;
    while (asked < questions) child.stdin.write(`${answers[asked++]}\r`);
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, shown };
}

test(
  'the passphrase is asked for twice on a terminal, and not shown',
  { skip: !existsSync(terminal) && 'needs script' },
  async () => {
    const file = path.join(directory, 'asked.age');
    const { code, shown } = await onTerminal(file, [backupPassphrase, backupPassphrase]);
    assert.equal(code, 0, shown);
    assert.ok(!shown.includes('horse'), shown);
    await runBackup(['restore', file], {
      ...env,
      DATABASE_URL: target.url,
      BACKUP_PASSPHRASE: backupPassphrase,
    });

    const unequal = await onTerminal(`${file}.2`, [backupPassphrase, `${backupPassphrase}!`]);
    assert.deepEqual([unequal.code, existsSync(`${file}.2`)], [2, false]);
    assert.match(unequal.shown, /The two passphrases differ/);
    const short = await onTerminal(`${file}.3`, ['short', 'short']);
    assert.deepEqual([short.code, existsSync(`${file}.3`)], [2, false]);
    assert.match(short.shown, /The passphrase should have at least 16 characters/);
  },
);
