import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import {
  changesToReleased,
  checksumMigrations,
  releaseChangelog,
  versionFiles,
  versionsIn,
  withVersion,
} from './release-files.ts';

const root = path.join(import.meta.dirname, '..');
const releasesFolder = path.join(root, 'test/releases');
const read = (file: string) => readFile(path.join(root, file), 'utf8');
const releases = (await readdir(releasesFolder, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test('migrations of each release are unchanged, and new ones come after them', async () => {
  const present = await checksumMigrations(path.join(root, 'migrations'));
  for (const version of releases) {
    const released = await readFile(path.join(releasesFolder, version, 'migrations.sha256'), 'utf8');
    assert.notEqual(released, '');
    assert.deepEqual(changesToReleased(released, present), [], version);
  }
});

test('a changed, missing or inserted migration of a release is found', async () => {
  const directory = path.join(await makeTemporaryDirectory(), 'migrations');
  await mkdir(directory);
  const write = (file: string, text: string) => writeFile(path.join(directory, file), text);
  await write('0001_a.sql', 'select 1');
  await write('0003_c.sql', 'select 3');
  const released = await checksumMigrations(directory);
  assert.match(released, /^[0-9a-f]{64} {2}0001_a\.sql\n[0-9a-f]{64} {2}0003_c\.sql\n$/);
  await write('0004_d.sql', 'select 4');
  const later = await checksumMigrations(directory);
  assert.deepEqual(changesToReleased(released, later), []);
  assert.deepEqual(changesToReleased(later, released), ['0004_d.sql is missing']);
  await write('0002_b.sql', 'select 2');
  await write('0001_a.sql', 'select 1;');
  assert.deepEqual(changesToReleased(released, await checksumMigrations(directory)), [
    '0001_a.sql is changed',
    '0002_b.sql must come after 0003_c.sql',
  ]);
});

test('a release moves what is unreleased under its version', () => {
  const text =
    '# Changelog\n\n## Unreleased\n\n### Added\n\n- A.\n\n## 0.1.0 - 2026-01-01\n\n### Fixed\n\n- B.\n';
  assert.equal(
    releaseChangelog(text, '0.2.0', '2026-02-03'),
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Added\n\n- A.\n\n## 0.1.0 - 2026-01-01\n\n### Fixed\n\n- B.\n',
  );
  assert.throws(() => releaseChangelog(text, '0.1.0', '2026-02-03'), /has 0\.1\.0 already/);
  assert.throws(() => releaseChangelog(text.replace('- A.', ''), '0.2.0', ''), /lists nothing/);
  assert.throws(() => releaseChangelog(text.replace('Added', 'News'), '0.2.0', ''), /### News must be one/);
  assert.throws(() => releaseChangelog('# Changelog\n', '0.2.0', ''), /no line "## Unreleased"/);
});

test('the changelog of the project can be released, or has nothing unreleased', async () => {
  const text = await read('CHANGELOG.md');
  if (!text.includes('## Unreleased\n\n## ')) releaseChangelog(text, '999.0.0', '2026-02-03');
  for (const version of releases) assert.ok(text.includes(`\n## ${version} - 20`), version);
});

test('all files name the same version, and a release changes it in each', async () => {
  for (const file of versionFiles) {
    const text = await read(file);
    for (const version of versionsIn(file, text)) assert.equal(version, packageJson.version, file);
    const changed = withVersion(file, text, '999.0.0');
    assert.deepEqual(new Set(versionsIn(file, changed)), new Set(['999.0.0']), file);
  }
});
