import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import type { CookieClient } from '#test/support/identity/cookie-client.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { runBackup } from '#test/support/product/backups.ts';
import { fastestParent, makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { runProduct, startProduct } from '#test/support/product/product-process.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { directory, remove } = await makeEnterableDirectory('backup', await fastestParent());
after(remove);
const file = path.join(directory, 'night.age');

async function installation(name: string) {
  const port = String(await freePort());
  const url = `http://localhost:${port}`;
  const env = { DATA_DIR: path.join(directory, name), PORT: port, LOG_LEVEL: 'warn' };
  return { url, env: { ...env, DATABASE_URL: '', ENCRYPTION_KEY: '' } };
}

/** All pages of a list. */
async function listed<Item>(browser: CookieClient, url: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const answer = await browser.fetch(`${url}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page = (await answer.json()) as { items: Item[]; nextCursor: string | null };
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** Position and epoch of live updates. */
async function streamOf(dataDir: string): Promise<{ epoch: string; seq: string }> {
  const running = JSON.parse(await readFile(path.join(dataDir, 'running.json'), 'utf8')) as {
    databaseUrl: string;
  };
  const client = new pg.Client({ connectionString: running.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ epoch: string; seq: string }>(
    'select epoch, seq from realtime_stream',
  );
  await client.end();
  return rows[0]!;
}

test('an installation under traffic is backed up, and goes on from there in a new DATA_DIR', async (t) => {
  const [one, two] = [await installation('one'), await installation('two')];
  const first = await startProduct('serve', one.env);
  t.after(() => first.kill());
  const created = await runProduct(['integration', 'create', '--label', 'Team'], one.env);
  const integration = JSON.parse(created.stdout) as CreatedIntegration;
  const api = `/api/integrations/${integration.integrationId}`;
  const post = async (url: string, runId: number, deliveryId: string): Promise<void> => {
    const payload = runPayload({ id: runId, run_number: runId });
    const answer = await postWebhook(url, integration, { event: 'workflow_run', payload, deliveryId });
    assert.equal(answer.status, 200, await answer.text());
  };
  await postWebhook(one.url, integration, {
    event: 'workflow_run',
    payload: { action: 'any' },
    deliveryId: 'poison',
  });
  for (let runId = 1; runId <= 20; runId += 1) await post(one.url, runId, `before-${runId}`);
  const backedUp = new AbortController();
  const traffic = (async () => {
    for (let runId = 21; !backedUp.signal.aborted; runId += 1) await post(one.url, runId, `during-${runId}`);
  })();
  const summary = await runBackup<{ file: string; rows: number }>(['backup', file], one.env);
  backedUp.abort();
  await traffic;
  assert.equal(summary.file, file);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const before = await streamOf(one.env.DATA_DIR);
  const again = await runProduct(['backup', file], { ...one.env, BACKUP_PASSPHRASE: 'another passphrase' });
  assert.deepEqual([again.code, again.stderr.startsWith(`${file} exists`)], [1, true]);
  await first.stop();

  const restored = await runBackup<{ rows: number }>(['restore', file], two.env);
  assert.equal(restored.rows, summary.rows);
  const key = await readFile(path.join(one.env.DATA_DIR, 'encryption.key'), 'utf8');
  assert.equal(await readFile(path.join(two.env.DATA_DIR, 'encryption.key'), 'utf8'), key);
  const second = await startProduct('serve', two.env);
  t.after(() => second.kill());
  const browser = await signInAsDemo(two.url);
  const hasRun = async (id: number) =>
    (await browser.fetch(`${two.url}${api}/workflows/${id}`)).status === 200;
  for (let runId = 1; runId <= 20; runId += 1)
    await waitUntil(`run ${runId}, which was accepted before the backup`, () => hasRun(runId));
  const [letter] = await listed<{ reason: string }>(browser, `${two.url}${api}/dead-letters`);
  assert.ok(letter !== undefined && letter.reason !== '');
  const deliveries = await listed<{ deliveryId: string; forgeDeliveryId: string }>(
    browser,
    `${two.url}${api}/deliveries`,
  );
  assert.ok(deliveries.length >= 21);
  const body = await browser.fetch(`${two.url}${api}/deliveries/${deliveries.at(-1)!.deliveryId}/body`);
  assert.ok((await body.text()).includes('"action":"any"'), 'a sealed body opens');
  assert.notEqual((await streamOf(two.env.DATA_DIR)).epoch, before.epoch);

  // The forge sends a delivery again that the backup holds, and a new one.
  await post(two.url, 1, 'before-1');
  await post(two.url, 500_000, 'after');
  await waitUntil('the new run', () => hasRun(500_000));
  const later = await listed<{ forgeDeliveryId: string }>(browser, `${two.url}${api}/deliveries`);
  assert.equal(later.length, deliveries.length + 1, 'a known delivery is not stored again');
});
