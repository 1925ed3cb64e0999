import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checksumMigrations, releaseChangelog, versionFiles, withVersion } from './release-files.ts';

/**
 * Makes a release on a clean tree: `npm run release -- 0.1.0`. It writes version, changelog, checksums of migrations and a backup for
 * the test of upgrades, runs all checks, packs the tarball, commits and tags. It pushes and publishes nothing. See docs/releasing.md.
 */
const root = path.join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Leaves out `npm run check`, because it passed on this commit before. */
    checked: { type: 'boolean', default: false },
  },
});

const version = positionals[0] ?? '';
if (!/^\d+\.\d+\.\d+$/.test(version) || positionals.length > 1)
  stop('Name the version, such as: npm run release -- 0.1.0');
if (git('status', '--porcelain') !== '') stop('Commit or stash your changes first: git status shows some.');
if (git('tag', '--list', `v${version}`) !== '') stop(`The tag v${version} exists already.`);

const folder = path.join('test/releases', version);
await rewrite('CHANGELOG.md', (text) =>
  releaseChangelog(text, version, new Date().toISOString().slice(0, 10)),
);
for (const file of versionFiles) await rewrite(file, (text) => withVersion(file, text, version));
run('npm', ['run', '--silent', 'build']);
run('npm', ['test', '--', 'test/releases/upgrade.test.ts'], { RELEASE_FOLDER: path.join(root, folder) });
await writeFile(
  path.join(root, folder, 'migrations.sha256'),
  await checksumMigrations(path.join(root, 'migrations')),
);
if (values.checked) run('npm', ['test', '--', 'test/releases/*.test.ts', 'scripts/release.test.ts']);
else run('npm', ['run', 'check']);
run('npm', ['run', '--silent', 'package']);
git('add', '--all');
git('commit', '--quiet', '--message', `release: version ${version}`);
git('tag', '--annotate', `v${version}`, '--message', `Forgewatch ${version}`);
process.stdout.write(`Committed and tagged v${version}. docs/releasing.md says what comes next.\n`);

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  const place = path.join(root, file);
  await writeFile(place, change(await readFile(place, 'utf8')));
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): void {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status !== 0)
    stop(
      `Failed: ${command} ${args.join(' ')}. To begin again: git checkout . && git clean -fd test/releases`,
    );
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function stop(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
