import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { writeWhole } from './backup-file.ts';

const never = new AbortController().signal;

test('a backup removes what killed backups left in its folder, and nothing else', async () => {
  const folder = await makeTemporaryDirectory();
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  const ended = child.pid;
  await once(child, 'exit');
  const age = 'age-encryption.org/v1\n-> scrypt';
  for (const [name, text] of [
    [`forgewatch-2026-11-24.age.${ended}.partial`, age],
    [`forgewatch-2026-11-25.age.${ended}.partial`, ''],
    [`forgewatch-2026-11-25.age.${process.pid}.partial`, age],
    [`forgewatch-2026-11-23.age.${process.ppid}.partial`, age],
    [`video.${ended}.partial`, 'another program downloads this'],
    ['forgewatch-2026-11-23.age', age],
    ['notes.partial', age],
  ] as const)
    await writeFile(path.join(folder, name), text);
  const file = path.join(folder, 'forgewatch-2026-11-25.age');
  assert.equal(await writeWhole(file, Readable.from(['whole']), never), 5);
  assert.deepEqual((await readdir(folder)).sort(), [
    'forgewatch-2026-11-23.age',
    `forgewatch-2026-11-23.age.${process.ppid}.partial`,
    'forgewatch-2026-11-25.age',
    'notes.partial',
    `video.${ended}.partial`,
  ]);
  assert.equal(await readFile(file, 'utf8'), 'whole');
});
