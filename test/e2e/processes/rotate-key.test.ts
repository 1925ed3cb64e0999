import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Delivery } from '#contract/deliveries/deliveries.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { signInAsOwner, type OwnerClient } from '#test/support/identity/owner-client.ts';
import { fastestParent, makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { runProduct, startProduct } from '#test/support/product/product-process.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { directory, remove } = await makeEnterableDirectory('rotate-key', await fastestParent());
const dataDir = path.join(directory, 'data');
const keyFile = path.join(dataDir, 'encryption.key');
const port = String(await freePort());
const publicUrl = `http://localhost:${port}`;
const env = {
  DATA_DIR: dataDir,
  DATABASE_URL: '',
  ENCRYPTION_KEY: '',
  PORT: port,
  PUBLIC_URL: publicUrl,
  LOG_LEVEL: 'warn',
};
let serve = await startProduct('serve', env);
after(async () => {
  await serve.stop();
  await remove();
});

const run = (...args: string[]) => runProduct(args, env);
const keys = async (): Promise<string[]> => (await readFile(keyFile, 'utf8')).trim().split(',');

async function restart(): Promise<void> {
  assert.equal(await serve.stop(), 0);
  serve = await startProduct('serve', env);
}

async function rotation(): Promise<string[]> {
  const findings = JSON.parse((await run('doctor', '--json')).stdout) as { check: string; text: string }[];
  return findings.filter(({ check }) => check === 'key rotation').map(({ text }) => text);
}

const largeText = 'x'.repeat(2 * 1024 * 1024);

/** Everything that a person sees of the integration: each part opens something that is sealed. */
async function read(owner: OwnerClient, { integrationId }: CreatedIntegration) {
  const deliveries = await owner.items<Delivery>(integrationId, '/deliveries?limit=100');
  const body = async (id: string) =>
    (await owner.call('GET', integrationId, `/deliveries/${id}/body`)).text();
  const rules = await owner.items<object>(integrationId, '/notification-rules');
  const large = deliveries.find(({ forgeDeliveryId }) => forgeDeliveryId === 'large');
  const dead = deliveries.find(({ forgeDeliveryId }) => forgeDeliveryId === 'dead');
  return {
    large: (await body(large!.deliveryId)).includes(largeText),
    dead: await body(dead!.deliveryId),
    rules,
  };
}

test('a packaged installation gets a new key while it receives webhooks, and works without the old one', async (t) => {
  const created = await run('integration', 'create', '--label', 'Rotated');
  const integration = JSON.parse(created.stdout) as CreatedIntegration;
  const { integrationId } = integration;
  let owner = await signInAsOwner(publicUrl);
  const post = async (deliveryId: string, payload: object | string) =>
    assert.equal(
      (await postWebhook(publicUrl, integration, { event: 'workflow_run', deliveryId, payload })).status,
      200,
    );
  let runs = 0;
  const postRun = (deliveryId = `run-${runs + 1}`, title = 'A run') =>
    post(deliveryId, runPayload({ id: (runs += 1), display_title: title }));
  const allStored = () =>
    waitUntil('all runs', async () => {
      const { count } = await owner.read<{ count: number }>(integrationId, '/workflows/count');
      return count === runs;
    });
  await post('large', { ...runPayload({ id: (runs += 1) }), padding: largeText });
  await post('dead', { workflow_run: { id: 'x' } });
  await postRun();
  const rule = await owner.call('POST', integrationId, '/notification-rules', {
    name: 'Rule',
    enabled: true,
    channels: [{ type: 'slack', url: 'https://hooks.slack.com/services/a/b/c' }],
  });
  assert.equal(rule.status, 201, await rule.text());
  const rotated = await owner.call('POST', integrationId, '/rotate-secret', { graceHours: 24 });
  assert.equal(rotated.status, 200, await rotated.text());
  await allStored();
  const before = await read(owner, integration);
  assert.ok(before.large && before.dead.includes('"x"'));

  const [oldKey] = await keys();
  const added = await run('rotate-key', '--new');
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stderr, /Restart Forgewatch now/);
  assert.deepEqual([(await keys()).length, (await keys())[1]], [2, oldKey]);
  assert.equal((await stat(keyFile)).mode & 0o777, 0o600);
  assert.equal((await run('rotate-key', '--new')).code, 1, 'no third key');
  const early = await run('rotate-key');
  assert.equal(early.code, 1);
  assert.match(early.stderr, /Restart all processes/);

  await restart();
  await owner.read(integrationId, '/workflows');
  assert.match((await rotation()).join(), /^sealed with the second key: .*integrations.webhook_secret 1/);
  const rotating = run('rotate-key');
  const done = new AbortController();
  void rotating.finally(() => done.abort());
  while (!done.signal.aborted) await postRun();
  const { code, stdout, stderr } = await rotating;
  assert.equal(code, 0, stderr);
  const { reEncrypted, ...others } = JSON.parse(stdout) as { reEncrypted: number };
  assert.deepEqual(others, { unreadable: {}, left: {} });
  assert.ok(reEncrypted > 5, stdout);
  await allStored();
  t.diagnostic(`${runs} webhooks, ${reEncrypted} values`);
  assert.deepEqual(await rotation(), [
    'nothing is sealed with the second key: stop all processes, then remove it from DATA_DIR/encryption.key.',
  ]);

  await serve.stop();
  const [newKey] = await keys();
  await writeFile(keyFile, `${newKey}\n`);
  serve = await startProduct('serve', env);
  assert.deepEqual(await read(owner, integration), before, 'with the session from before');
  owner = await signInAsOwner(publicUrl);
  await postRun('after', 'After the rotation');
  await allStored();
  const again = await owner.call('POST', integrationId, '/dead-letters/redrive', {});
  assert.equal(again.status, 200, await again.text());
  const deliveries = await owner.items<Delivery>(integrationId, '/deliveries?limit=100');
  const first = deliveries.find(({ forgeDeliveryId }) => forgeDeliveryId === 'large')!;
  const replayed = await owner.call('POST', integrationId, `/deliveries/${first.deliveryId}/replay`);
  assert.ok(replayed.ok, await replayed.text());
  await waitUntil('the replay to be processed', async () => {
    const items = await owner.items<Delivery>(integrationId, '/deliveries?limit=100');
    return items.some((each) => each.replayed && !['waiting', 'processing'].includes(each.verdict));
  });
  assert.deepEqual(await rotation(), ['one key is configured']);
});
