import { spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { after } from 'node:test';
import { findPostgresPrograms } from '#platform/database/embedded/embedded-binaries.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

/** Whether this machine has a PgBouncer that passes prepared statements on. */
export function hasPgBouncer(): boolean {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  const [, minor = 0] = /PgBouncer 1\.(\d+)/.exec(stdout ?? '') ?? [];
  return Number(minor) >= 21;
}

const guide = path.join(import.meta.dirname, '../../../../docs/guide/pgbouncer.md');

/**
 * Prepares the database and starts PgBouncer as `docs/guide/pgbouncer.md` says. Stopped when the file ends. Returns the URL of
 * the database through it.
 */
export async function startPgBouncer(
  { url: databaseUrl, asOwner }: TestDatabase,
  changes: Record<string, string> = {},
): Promise<string> {
  const text = await readFile(guide, 'utf8');
  const block = (language: string): string =>
    new RegExp(`\n\`\`\`${language}\n(.*?)\n\`\`\``, 's').exec(text)?.[1] ?? '';
  const isPrepared = (await asOwner(`select from pg_roles where rolname = 'pgbouncer'`)).length > 0;
  if (!isPrepared) await asOwner(block('sql'));
  const url = new URL(databaseUrl);
  const { directory, remove } = await makeEnterableDirectory('pgbouncer');
  const port = await freePort();
  const [users, file] = [path.join(directory, 'users.txt'), path.join(directory, 'pgbouncer.ini')];
  await writeFile(users, '"pgbouncer" "PASSWORD"\n');
  const settings = block('ini')
    .replace(/^forgewatch = .*/m, `${url.pathname.slice(1)} = host=${url.hostname} port=${url.port}`)
    .replace(/^listen_addr = .*/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*/m, `listen_port = ${port}`)
    .replace(/^auth_file = .*/m, `auth_file = ${users}`);
  const added = Object.entries({ unix_socket_dir: '', ...changes }).map(
    ([name, value]) => `${name} = ${value}`,
  );
  await writeFile(file, `${settings}\n${added.join('\n')}\n`);
  const { account } = await findPostgresPrograms();
  const child = spawn('pgbouncer', ['--quiet', file], { ...account, cwd: '/', stdio: 'ignore' });
  after(async () => {
    child.kill('SIGQUIT');
    await remove();
  });
  await waitUntil('PgBouncer to listen', () => listens(port));
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
