import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processMark } from '#platform/runtime/processes/process-alive.ts';
import { announceRunning, findRunning } from '#server/running.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const dataDir = await makeTemporaryDirectory();
const addresses = {
  localUrl: 'http://127.0.0.1:1',
  publicUrl: 'http://localhost:1',
  webOrigins: ['http://localhost:1'],
  databaseUrl: 'postgres://x',
};

test('a serve that runs is found, and no longer once it was killed', async () => {
  const script = `import { announceRunning } from ${JSON.stringify(fileURLToPath(import.meta.resolve('#server/running.ts')))};
    await announceRunning(${JSON.stringify(dataDir)}, ${JSON.stringify(addresses)});
    process.stdout.write('announced');
    setInterval(() => {}, 1000);`;
  const serve = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(serve.stdout, 'data');
  assert.equal((await findRunning(dataDir))?.pid, serve.pid);
  serve.kill('SIGKILL');
  await once(serve, 'exit');
  assert.equal(await findRunning(dataDir), undefined);
});

test('the announcement of a killed serve does not stop a process that has its id, such as the first of a container', async () => {
  await announceRunning(dataDir, addresses);
  assert.equal(await findRunning(dataDir), undefined);
});

test('a missing or incomplete announcement means that no process runs', async () => {
  for (const text of ['', '{"pid":', '{}', 'null', `{"pid":${process.ppid}}`]) {
    await writeFile(path.join(dataDir, 'running.json'), text);
    assert.equal(await findRunning(dataDir), undefined, text);
  }
  await announceRunning(dataDir, addresses);
});

test(
  'nor is another process taken for it that got its id since',
  { skip: process.platform !== 'linux' && 'only /proc tells when a process was started' },
  async () => {
    const file = path.join(dataDir, 'running.json');
    const running = JSON.parse(await readFile(file, 'utf8')) as { pid: number; processMark: string };
    const pid = process.ppid;
    const processMark = running.processMark.replace(/^\d+/, String(pid));
    await writeFile(file, JSON.stringify({ ...running, pid, processMark }));
    assert.equal(await findRunning(dataDir), undefined);
  },
);

test(
  'nor one that has ended and whose parent never asked how, as nobody does in a container without an init',
  { skip: process.platform !== 'linux' && 'only /proc tells that it has ended' },
  async (t) => {
    // What the shell turns into knows nothing of the child it had before.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => parent.kill());
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    await waitUntil('it to end', async () => (await processMark(Number(chunk.toString()))) === undefined);
    assert.doesNotThrow(() => process.kill(Number(chunk.toString()), 0));
  },
);
