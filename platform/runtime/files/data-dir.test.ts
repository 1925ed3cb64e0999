import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { addOwnKey, loadMasterKeys, makeDirectory } from './data-dir.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const root = await makeTemporaryDirectory();
const load = (dataDir: string) => loadMasterKeys({ encryptionKeys: undefined, dataDir });

test('the key is generated once, is private and stays the same', async () => {
  const dataDir = path.join(root, 'new');
  const [key] = await load(dataDir);
  assert.equal(key.length, 32);
  assert.deepEqual(await load(dataDir), [key]);
  assert.equal((await stat(path.join(dataDir, 'encryption.key'))).mode & 0o777, 0o600);
});

test('a new key comes first, the old one is kept, and there is no third one', async () => {
  const dataDir = path.join(root, 'added');
  const [old] = await load(dataDir);
  const file = await addOwnKey(dataDir);
  const [added, kept, ...more] = await load(dataDir);
  assert.notDeepEqual(added, old);
  assert.deepEqual([kept, more], [old, []]);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await assert.rejects(addOwnKey(dataDir), /lists 2 keys already. Run forgewatch rotate-key/);
  assert.deepEqual(await load(dataDir), [added, kept]);
});

test('an invalid key file is reported and neither used nor replaced', async () => {
  const file = path.join(root, 'encryption.key');
  for (const text of [
    '',
    'hunter2\n',
    `${randomBytes(32).toString('base64')},hunter2\n`,
    `${Buffer.alloc(32).toString('base64')}\n`,
  ]) {
    await writeFile(file, text);
    await assert.rejects(load(root), (error: Error) => {
      assert.ok(error.message.startsWith(`${file} must contain 32 bytes in base64`), error.message);
      return !error.message.includes('hunter2');
    });
  }
});

test('a directory that cannot be created is reported with its setting', async () => {
  const file = path.join(root, 'a-file');
  await writeFile(file, '');
  const message = new RegExp(
    `^ConfigError: DATA_DIR: is "${file}", should be a directory that this account may write to: EEXIST`,
  );
  await assert.rejects(load(file), message);
  await assert.rejects(
    makeDirectory('LOG_DIR', path.join(file, 'logs')),
    /^ConfigError: LOG_DIR: is .*ENOTDIR/,
  );
});

test(
  'so is one of another account',
  { skip: process.getuid?.() === 0 && 'root may write everywhere' },
  async () => {
    await assert.rejects(load('/'), /^ConfigError: DATA_DIR: is "\/", .*EACCES/);
  },
);

test('a directory that cannot be created is a fault of its setting, and one of several levels is created', async () => {
  const deep = path.join(root, 'a/b/c');
  await Promise.all([makeDirectory('DATA_DIR', deep), makeDirectory('DATA_DIR', deep)]);
  assert.ok((await stat(deep)).isDirectory());
  for (const directory of ['/proc/x', '/proc/x/y'])
    await assert.rejects(
      makeDirectory('DATA_DIR', directory),
      /DATA_DIR: is "\/proc\/x.*should be a directory that this account may write to/,
    );
});
