import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, chown, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { processMark } from '#platform/runtime/processes/process-alive.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

const root = await mkdtemp(path.join(tmpdir(), 'forgewatch-embedded-'));
await chmod(root, 0o755);
const directory = path.join(root, 'postgres');
after(() => rm(root, { recursive: true, force: true }));

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('a second start keeps the data of the first', async () => {
  const first = await startEmbeddedPostgres({ directory });
  await query(first.url, 'create table kept as select 1 as value');
  await first.stop();
  const second = await startEmbeddedPostgres({ directory });
  assert.deepEqual(await query(second.url, 'select value from kept'), [{ value: 1 }]);
  await second.stop();
});

test('WAL segments are small, so that a commit never waits long for a new one', async () => {
  const postgres = await startEmbeddedPostgres({ directory });
  assert.deepEqual(await query(postgres.url, 'show wal_segment_size'), [{ wal_segment_size: '1MB' }]);
  await postgres.stop();
});

test('a killed server restarts on the same address with all committed data', async () => {
  const failures: string[] = [];
  const onUnexpectedEnd = ({ message }: Error) => void failures.push(message);
  const postgres = await startEmbeddedPostgres({ directory, onUnexpectedEnd });
  const killed = postgres.pid();
  process.kill(killed, 'SIGKILL');
  await waitUntil('the server to be started again', () => postgres.pid() !== killed);
  assert.match(failures[0] ?? '', /restarting it: \S/);
  assert.deepEqual(await query(postgres.url, 'select value from kept'), [{ value: 1 }]);
  await postgres.stop();
  assert.throws(() => process.kill(postgres.pid(), 0), { code: 'ESRCH' });
});

test('a server that cannot start is retried with a delay until it can', async () => {
  const failures: { message: string; at: number }[] = [];
  const onUnexpectedEnd = ({ message }: Error) => void failures.push({ message, at: performance.now() });
  const postgres = await startEmbeddedPostgres({ directory, onUnexpectedEnd });
  const needed = path.join(directory, 'global/pg_control');
  await rename(needed, `${needed}.away`);
  const killed = postgres.pid();
  process.kill(killed, 'SIGKILL');
  await waitUntil('several attempts', () => failures.length >= 4);
  await rename(`${needed}.away`, needed);
  await waitUntil('the server to be started again', () => postgres.pid() !== killed);
  assert.deepEqual(await query(postgres.url, 'select value from kept'), [{ value: 1 }]);
  await postgres.stop();
  const [, first, , third] = failures;
  assert.match(first!.message, /ended while starting: .*pg_control/s);
  assert.ok(third!.at - first!.at >= 1900, `two pauses took ${third!.at - first!.at} ms`);
});

test('a failed start releases the directory', async () => {
  await assert.rejects(startEmbeddedPostgres({ directory, settings: ['nonsense=1'] }), /nonsense/);
  await assert.rejects(access(`${directory}.owner`), { code: 'ENOENT' });
});

/** A program with a Postgres of its own on the directory, which is killed. Resolves to the id of that Postgres. */
async function killProgram(beforeKill: (server: number) => void = () => {}): Promise<number> {
  const script = `import { startEmbeddedPostgres } from ${JSON.stringify(path.join(import.meta.dirname, 'embedded-postgres.ts'))};
    const postgres = await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)} });
    process.stdout.write(String(postgres.pid()));
    setInterval(() => {}, 1000);`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(program.stdout, 'data')) as [Buffer];
  const server = Number(chunk.toString());
  beforeKill(server);
  program.kill('SIGKILL');
  await once(program, 'exit');
  return server;
}

test('a server shuts down when its program is killed', async () => {
  const server = await killProgram();
  await waitUntil('the server to end', async () => (await processMark(server)) === undefined);
  // What a server that was killed leaves.
  await assert.rejects(access(path.join(directory, 'postmaster.pid')), { code: 'ENOENT' });
  const next = await startEmbeddedPostgres({ directory });
  assert.deepEqual(await query(next.url, 'select value from kept'), [{ value: 1 }]);
  await next.stop();
});

test('a start waits for the server of a killed program and keeps its data', async () => {
  // Stopped, it does not hear that it is to shut down.
  const server = await killProgram((pid) => void process.kill(pid, 'SIGSTOP'));
  const next = startEmbeddedPostgres({ directory });
  assert.equal(await Promise.race([next, delay(300)]), undefined);
  process.kill(server, 'SIGCONT');
  assert.deepEqual(await query((await next).url, 'select value from kept'), [{ value: 1 }]);
  assert.equal(await processMark(server), undefined);
  await (await next).stop();
});

test('a process that reuses the ID of a killed server is left alone and blocks no start', async (t) => {
  const { uid, gid } = await stat(directory);
  const stranger = spawn('sleep', ['600'], { uid, gid, cwd: '/' });
  t.after(() => stranger.kill());
  const lock = path.join(directory, 'postmaster.pid');
  // From before the boot of the machine and after it: in a container, small IDs come again at each start.
  for (const startedAt of [1, Math.floor(Date.now() / 1000) - 5]) {
    await writeFile(lock, `${stranger.pid}\n${directory}\n${startedAt}\n`);
    await chown(lock, uid, gid);
    const postgres = await startEmbeddedPostgres({ directory });
    assert.deepEqual(await query(postgres.url, 'select value from kept'), [{ value: 1 }]);
    await postgres.stop();
  }
  assert.deepEqual([stranger.exitCode, stranger.signalCode], [null, null]);
});

test('a directory whose program runs is refused', async () => {
  const script = `import { startEmbeddedPostgres } from ${JSON.stringify(path.join(import.meta.dirname, 'embedded-postgres.ts'))};
    await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)} }).then(
      () => process.stdout.write('started'), (error) => process.stdout.write(error.message)).then(() => process.exit(0));`;
  const postgres = await startEmbeddedPostgres({ directory });
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(program.stdout, 'data')) as [Buffer];
  assert.match(chunk.toString(), new RegExp(`in use by process ${process.pid}`));
  assert.deepEqual(await query(postgres.url, 'select value from kept'), [{ value: 1 }]);
  await postgres.stop();
});

test('a directory is refused while its program runs in a container, whose process IDs mean nothing here', async () => {
  const postgres = await startEmbeddedPostgres({ directory });
  await writeFile(`${directory}.owner`, '1 00000000-0000-0000-0000-000000000000 1');
  await assert.rejects(startEmbeddedPostgres({ directory }), /in use by a process of another container/);
  assert.deepEqual(await query(postgres.url, 'select value from kept'), [{ value: 1 }]);
  await postgres.stop();
  await (await startEmbeddedPostgres({ directory })).stop();
});
