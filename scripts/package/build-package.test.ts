import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { runProduct, startProduct } from '#test/support/product/product-process.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { buildPackage } from './build-package.ts';

const root = path.join(import.meta.dirname, '../..');
const directory = path.join(root, 'dist/package-test');
const modules = await buildPackage(directory);
const program = path.join(directory, 'bin/forgewatch.js');

const database = await createTestDatabase();
const dataDir = await mkdtemp(path.join(tmpdir(), 'forgewatch-package-'));
const port = await freePort();
const publicUrl = `http://localhost:${port}`;
const env = { ...productEnv(database.url, dataDir), PORT: String(port), PUBLIC_URL: publicUrl };
const serve = await startProduct('serve', env, undefined, program);
after(async () => {
  await serve.kill();
  await rm(dataDir, { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
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

test('the package signs in, receives webhooks of every size and shows what they report', async () => {
  const browser = await signInAsDemo(publicUrl);
  const created = await runProduct(['integration', 'create', '--label', 'Package'], env, program);
  const integration = JSON.parse(created.stdout) as CreatedIntegration;
  // Large bodies are read in a thread, both when they arrive and when they are stored.
  for (const [runId, bytes] of [
    [1, 0],
    [2, 400_000],
    [3, 2_000_000],
  ] as const)
    assert.equal((await postWebhook(publicUrl, integration, runEvent(runId, bytes))).status, 200);
  await waitUntil('three runs', async () => {
    const answer = await browser.fetch(
      `${publicUrl}/api/integrations/${integration.integrationId}/workflows`,
    );
    return (await answer.text()).split('"runNumber"').length - 1 === 3;
  });
});

test('the package serves the web app and the reference of the API', async () => {
  const page = (url: string) => fetch(publicUrl + url, { headers: { accept: 'text/html' } });
  assert.match(await (await page('/')).text(), /<script type="module"/);
  assert.match(await (await page('/docs')).text(), /swagger-ui/);
});

test('a command of the package reads the database of its environment', async () => {
  const listed = await runProduct(['dead-letters', 'list'], env, program);
  assert.equal(listed.code, 0, listed.stderr);
});

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
