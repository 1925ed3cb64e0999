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
  'a process that got the id of a killed serve is not taken for it',
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
  'a process that has ended has no mark, even if its parent never asks how, as in a container without an init',
  { skip: process.platform !== 'linux' && 'only /proc tells that it has ended' },
  async (t) => {
    // What the shell turns into knows nothing of the child it had before. A shell would collect a child that ends earlier.
    const parent = spawn('sh', ['-c', 'exec 3<&0; (read -r _ <&3) & echo $!; exec sleep 600'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => parent.kill());
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    await waitUntil('the shell to be replaced', async () =>
      (await readFile(`/proc/${parent.pid}/cmdline`, 'utf8')).startsWith('sleep'),
    );
    parent.stdin.end('\n');
    await waitUntil('it to end', async () => (await processMark(Number(chunk.toString()))) === undefined);
    assert.doesNotThrow(() => process.kill(Number(chunk.toString()), 0));
  },
);
