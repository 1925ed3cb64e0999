import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { isAlive } from '#platform/runtime/processes/process-alive.ts';
import { makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

test('a test program that is killed leaves neither its Postgres nor its directory', async () => {
  const support = path.join(import.meta.dirname, '../database/test-postgres.ts');
  const script = `import { startTestPostgres } from ${JSON.stringify(support)};
    const { directory, pid } = await startTestPostgres();
    process.stdout.write(JSON.stringify({ directory, pid: pid() }));`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(program.stdout, 'data')) as [Buffer];
  const { directory, pid } = JSON.parse(String(chunk)) as { directory: string; pid: number };
  assert.ok(await isThere(directory));
  program.kill('SIGKILL');
  await waitUntil('the directory to be gone', async () => !(await isThere(directory)));
  await waitUntil('Postgres to end', () => !isAlive(pid));
});

test('a directory is removed although another process still writes to it', async () => {
  const { directory, remove } = await makeEnterableDirectory('written');
  const writeMany = 'for n in $(seq 500); do echo > "$0/$n" || exit; echo; done';
  const writer = spawn('/bin/sh', ['-c', writeMany, directory], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(writer, 'exit');
  await once(writer.stdout, 'data');
  writer.stdout.resume();
  await remove();
  await ended;
  assert.ok(!(await isThere(directory)));
});
