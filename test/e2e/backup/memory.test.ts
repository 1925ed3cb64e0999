import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { backupPassphrase } from '#test/support/product/backups.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { productProgram } from '#test/support/product/product-process.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const source = await createTestDatabase();
const target = await createTestDatabase();
const directory = await makeTemporaryDirectory();
const file = path.join(directory, 'large.age');

/** The most memory that the command ever had, in MiB. */
async function peakOf(verb: 'backup' | 'restore', databaseUrl: string): Promise<number> {
  const child = spawn(process.execPath, [productProgram, verb, file], {
    env: { ...process.env, ...productEnv(databaseUrl, directory), BACKUP_PASSPHRASE: backupPassphrase },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let peakKiB = 0;
  const timer = setInterval(() => {
    const status = `/proc/${child.pid}/status`;
    const [, kiB] = (existsSync(status) && /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))) || [];
    peakKiB = Math.max(peakKiB, Number(kiB ?? 0));
  }, 20);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  clearInterval(timer);
  assert.equal(code, 0, stderr);
  return peakKiB / 1024;
}

test(
  'memory is bounded however large the database is',
  { skip: process.platform !== 'linux' && 'reads /proc' },
  async () => {
    // 500 MB as COPY writes them, in rows of 2 MB and of 200 bytes.
    await source.asOwner(
      `insert into large_payload (group_id, body)
       select 'a', decode(repeat(md5(n::text), 62500), 'hex') from generate_series(1, 200) n`,
    );
    await source.asOwner(
      `insert into users (cognito_id, name) select n::text, repeat(md5(n::text), 4) from generate_series(1, 500000) n`,
    );
    // The passphrase alone takes 256 MiB while its key is computed.
    for (const [verb, { url }] of [
      ['backup', source],
      ['restore', target],
    ] as const) {
      const peak = await peakOf(verb, url);
      assert.ok(peak > 100 && peak < 480, `${verb} took ${Math.round(peak)} MiB`);
    }
  },
);
