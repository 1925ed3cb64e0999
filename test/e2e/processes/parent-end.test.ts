import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { processMark } from '#platform/runtime/processes/process-alive.ts';
import { fastestParent, makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { olderNode } from '#test/support/product/older-node.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const root = path.join(import.meta.dirname, '../../..');
const binary = path.join(root, 'bin/forgewatch.js');
const { directory, remove } = await makeEnterableDirectory('parent-end', await fastestParent());
const dataDir = path.join(directory, 'data');
const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' };
const started: ChildProcess[] = [];
after(async () => {
  // Whatever a failed test left: the groups, and with their servers the packaged Postgres.
  for (const { pid } of started) spawnSync('kill', ['-KILL', '--', `-${pid}`]);
  if (await isThere('postgres/postmaster.pid')) {
    const postgres = await postgresPid();
    spawnSync('kill', ['-INT', String(postgres)]);
    await gone(postgres);
  }
  await remove();
});

interface Started {
  child: ChildProcess;
  url: string;
  serve: number;
  postgres: number;
}

/** A server with the packaged Postgres, in a process group of its own, by whatever starts it. */
async function start(command: string, args: string[], more: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  started.push(child);
  let complaint = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  for await (const line of createInterface({ input: child.stdout! })) {
    if (!line.startsWith('ready ')) continue;
    child.stdout!.resume();
    const { pid } = JSON.parse(await readFile(path.join(dataDir, 'running.json'), 'utf8')) as { pid: number };
    return { child, url: line.slice('ready '.length), serve: pid, postgres: await postgresPid() };
  }
  throw new Error(`${command} ${args.join(' ')} ended before it was ready: ${complaint}`);
}

async function postgresPid(): Promise<number> {
  return parseInt(await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'));
}

async function isThere(file: string): Promise<boolean> {
  return access(path.join(dataDir, file)).then(
    () => true,
    () => false,
  );
}

async function gone(pid: number): Promise<void> {
  await waitUntil(`process ${pid} to end`, async () => (await processMark(pid)) === undefined);
}

/** The server has ended in order, and its Postgres with it. */
async function drained({ serve, postgres }: Started): Promise<void> {
  await gone(serve);
  await gone(postgres);
  assert.deepEqual(await Promise.all(['running.json', 'postgres.owner'].map(isThere)), [false, false]);
}

test('SIGTERM to npm start drains the server, and npm waits for it', async () => {
  const program = await start('npm', ['start']);
  program.child.kill('SIGTERM');
  assert.deepEqual(await once(program.child, 'exit'), [0, null]);
  await drained(program);
});

test('SIGTERM to npx forgewatch serve drains the server, although the shell in between passes on no signal', async () => {
  const program = await start('npx', ['forgewatch', 'serve']);
  program.child.kill('SIGTERM');
  await drained(program);
});

test('npx leaves the web app of the clone as it is, also where npm never ran it before', async () => {
  const page = path.join(root, 'dist/web/index.html');
  const builtAt = (await stat(page)).mtimeMs;
  const { status } = spawnSync('npx', ['forgewatch', 'completion', 'bash'], {
    cwd: root,
    env: { ...process.env, npm_config_cache: path.join(directory, 'npm-cache') },
  });
  assert.equal(status, 0);
  assert.equal((await stat(page)).mtimeMs, builtAt);
});

test('a server drains when npm start is killed', async () => {
  const program = await start('npm', ['start']);
  program.child.kill('SIGKILL');
  await drained(program);
});

test('the packaged Postgres ends when the server is killed, and the next start works at once', async () => {
  const first = await start('npm', ['start']);
  process.kill(first.serve, 'SIGKILL');
  await gone(first.postgres);
  const second = await start('npm', ['start']);
  process.kill(second.serve, 'SIGKILL');
  const third = await start('npm', ['start']);
  assert.equal((await fetch(new URL('/healthz', third.url))).status, 200);
  assert.equal(await processMark(second.postgres), undefined);
  third.child.kill('SIGTERM');
  await drained(third);
});

test(
  'a server drains when the older Node that handed over to it is killed, and when the parent of that one ends',
  { skip: olderNode === undefined && 'there is no older Node here' },
  async () => {
    const behind = await start(olderNode!, [binary, 'serve']);
    behind.child.kill('SIGKILL');
    await drained(behind);
    const shell = await start('/bin/sh', ['-c', `${olderNode} ${binary} serve; true`], {
      npm_lifecycle_script: 'forgewatch serve',
    });
    shell.child.kill('SIGKILL');
    await drained(shell);
  },
);

test('a server that a script of npm put in the background outlives its parent', async () => {
  const watch = `import { watchParent } from ${JSON.stringify(path.join(root, 'bin/parent-end.js'))};
    watchParent().addEventListener('abort', () => process.exit());
    console.log(process.pid);
    setInterval(() => {}, 1000);`;
  const background = ['forgewatch serve &', 'nohup forgewatch serve', 'node other.js', ''];
  const foreground = 'npm run build && forgewatch serve > log 2>&1';
  const children = [...background, foreground].map(
    (script) => `npm_lifecycle_script='${script}' "$NODE" --input-type=module -e "$WATCH" &`,
  );
  const parent = spawn('/bin/sh', ['-c', `${children.join('\n')}\nwait`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    env: { NODE: process.execPath, WATCH: watch },
  });
  started.push(parent);
  const pids: number[] = [];
  for await (const line of createInterface({ input: parent.stdout })) {
    pids.push(Number(line));
    if (pids.length === children.length) break;
  }
  parent.kill('SIGKILL');
  const alive = async () => {
    const marks = await Promise.all(pids.map(processMark));
    return marks.filter((mark) => mark !== undefined).length;
  };
  await waitUntil('the one in the foreground to end', async () => (await alive()) < children.length);
  // Each of the others has looked for its parent again by then.
  await delay(1_000);
  assert.equal(await alive(), background.length);
});
