import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { keyFileIn, loadMasterKeys } from '#platform/runtime/files/data-dir.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { planKeys } from './key-plan.ts';

const [newKey, oldKey, otherKey] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const keys = [newKey, oldKey].map((key) => key.toString('base64'));

test('both keys of a rotation in progress are restored, in their order', async () => {
  const dataDir = await makeTemporaryDirectory();
  const config = { encryptionKeys: undefined, dataDir };
  const plan = await planKeys(config, keys, undefined);
  assert.equal(plan.file, keyFileIn(dataDir));
  await plan.write();
  assert.deepEqual(await loadMasterKeys(config), [newKey, oldKey]);
  assert.equal((await planKeys(config, keys, undefined)).file, undefined, 'they are there already');
});

test('no other key is replaced', async () => {
  const dataDir = await makeTemporaryDirectory();
  const config = { encryptionKeys: undefined, dataDir };
  await writeFile(keyFileIn(dataDir), `${otherKey.toString('base64')}\n`);
  await assert.rejects(
    planKeys(config, keys, undefined),
    /encryption\.key holds another key than the backup/,
  );
  await assert.rejects(planKeys(config, keys, keyFileIn(dataDir)), /encryption\.key exists/);
  assert.deepEqual(await loadMasterKeys(config), [otherKey]);
});

test('configured keys must include all keys of the backup', async () => {
  const dataDir = path.join(await makeTemporaryDirectory(), 'unused');
  const withKeys = (...encryptionKeys: Buffer[]) => planKeys({ encryptionKeys, dataDir }, keys, undefined);
  assert.equal((await withKeys(otherKey, oldKey, newKey)).file, undefined);
  await assert.rejects(withKeys(newKey, otherKey), /^ConfigError: ENCRYPTION_KEY: is \(hidden\)/);
});
