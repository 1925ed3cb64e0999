import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Delivery } from '#contract/deliveries/deliveries.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { startNotificationReceiver } from '#test/support/alerts/notification-receiver.ts';
import { verify } from '#test/support/alerts/webhook-product.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { signInAsOwner, type OwnerClient } from '#test/support/identity/owner-client.ts';
import { fastestParent, makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { testCertificate } from '#test/support/network/test-certificate.ts';
import { runProduct, startProduct } from '#test/support/product/product-process.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { directory, remove } = await makeEnterableDirectory('rotate-key', await fastestParent());
const dataDir = path.join(directory, 'data');
const keyFile = path.join(dataDir, 'encryption.key');
const port = String(await freePort());
const publicUrl = `http://localhost:${port}`;
const receiver = await startNotificationReceiver(60_000);
const certificate = path.join(directory, 'receiver.pem');
await writeFile(certificate, testCertificate.cert);
const env = {
  DATA_DIR: dataDir,
  ALERT_ALLOWED_NETWORKS: '127.0.0.1/32',
  ALERT_ALLOWED_PORTS: String(receiver.port),
  NODE_EXTRA_CA_CERTS: certificate,
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
  const change = async <Body>(to: string, body?: object): Promise<Body> => {
    const answer = await owner.call('POST', integrationId, to, body);
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as Body;
  };
  const urlOf = (at: string): string => `https://127.0.0.1:${receiver.port}${at}`;
  const rule = await change<{ ruleId: string }>('/notification-rules', {
    name: 'Rule',
    enabled: true,
    channels: [{ type: 'slack', url: urlOf('/channel') }],
  });
  const subscription = await change<{ subscriptionId: string; signingSecret: string }>(
    '/webhook-subscriptions',
    { name: 'Chat', url: urlOf('/subscription'), eventTypes: ['run.completed'] },
  );
  await change('/rotate-secret', { graceHours: 24 });
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
  // All deliveries fit into a page.
  for (let sent = 0; sent < 80 && !done.signal.aborted; sent += 1) await postRun();
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
  await change('/dead-letters/redrive', {});
  const deliveries = await owner.items<Delivery>(integrationId, '/deliveries?limit=100');
  const first = deliveries.find(({ forgeDeliveryId }) => forgeDeliveryId === 'large')!;
  await change(`/deliveries/${first.deliveryId}/replay`);
  await waitUntil('the replay to be processed', async () => {
    const items = await owner.items<Delivery>(integrationId, '/deliveries?limit=100');
    return items.some((each) => each.replayed && !['waiting', 'processing'].includes(each.verdict));
  });
  await change(`/notification-rules/${rule.ruleId}/test`);
  assert.equal(receiver.callsTo('/channel').length, 1);
  await change(`/webhook-subscriptions/${subscription.subscriptionId}/test`);
  const [call] = await waitUntil(
    'the webhook',
    () => receiver.callsTo('/subscription').length > 0 && receiver.callsTo('/subscription'),
  );
  verify(call!, subscription.signingSecret);
  assert.deepEqual(await rotation(), ['one key is configured']);
});
