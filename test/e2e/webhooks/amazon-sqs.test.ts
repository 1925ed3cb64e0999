import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { startPosting } from '#server/simulate/post/post-events.ts';
import { simulatedEvents } from '#test/support/data/simulated-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { sqsEnv, startSqsServer } from '#test/support/queue/sqs-server.ts';
import { expectedRows, storedRows } from '#test/support/data/reading/stored-rows.ts';
import { countRows, deleteRows } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { isQueueIdle, queuedDeliveries } from '#test/support/queue/idle-queue.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const eventCount = 300;
const killEvery = 150;

const [database, oracle] = [await createTestDatabase(), await createTestDatabase()];
const { server, createQueue } = await startSqsServer();
const { queueUrl, name, deadLetterName } = createQueue({ VisibilityTimeout: '6' });
const directory = await makeTemporaryDirectory();
const port = await freePort();
const env = {
  ...sqsEnv,
  QUEUE_URL: queueUrl,
  ...productEnv(database.url, directory),
  PORT: String(port),
  PUBLIC_URL: `http://localhost:${port}`,
  // Longer than a busy machine takes for a batch: one that takes longer has failed.
  WORKER_TIMEOUT_SECONDS: '4',
};
const api = await startProduct('api', env);
let worker = await startProduct('worker', env);
after(() => Promise.all([api.kill(), worker.kill()]));
const created = await runCommand(['integration', 'create', '--label', 'Amazon SQS'], env);
const integration = JSON.parse(created.stdout) as { integrationId: string; webhookSecret: string };

const waitsOutside = (): number => server.inspectQueue(name)?.messages.ready.length ?? -1;

const deliveries = async (): Promise<Set<string>> => {
  const ids = await queuedDeliveries(database);
  assert.equal(new Set(ids).size, ids.length, 'a delivery is stored twice');
  return new Set(ids);
};

test('a queue that is not as needed stops the start and says what it should be', async () => {
  const standard = createQueue({ VisibilityTimeout: '2', DeduplicationScope: 'queue' }).queueUrl;
  await assert.rejects(
    startProduct('worker', { ...env, QUEUE_URL: standard }),
    /QUEUE_URL: .*DeduplicationScope is "queue", should be messageGroup/,
  );
});

test('a webhook that is accepted while no worker runs waits in Amazon SQS', async () => {
  assert.equal(await worker.stop(), 0);
  const { status } = await postWebhook(api.ready, integration, { event: 'pull_request', payload: '{}' });
  assert.equal(status, 200);
  assert.equal(waitsOutside(), 1);
  assert.deepEqual(await deliveries(), new Set());
  worker = await startProduct('worker', env);
  await waitUntil('the worker to fetch it', () => waitsOutside() === 0);
});

test('a poisoned webhook is in the dead letters with its reason, and is redriven and dropped from there', async () => {
  const deadLetters = async (): Promise<{ messageId: string; reason: string }[]> => {
    const { stdout } = await runCommand(['dead-letters', 'list'], env);
    return stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as never);
  };
  let first: string | undefined;
  await waitUntil('the dead letter', async () => (first = (await deadLetters())[0]?.messageId) !== undefined);
  assert.equal((await deadLetters())[0]?.reason, 'invalid_payload');
  const redriven = await runCommand(['dead-letters', 'redrive', '--all'], env);
  assert.deepEqual(JSON.parse(redriven.stdout), { redriven: 1 });
  await waitUntil('it to die again', async () => {
    const again = await deadLetters();
    return again.length === 1 && again[0]?.messageId !== first;
  });
  const dropped = await runCommand(['dead-letters', 'drop', '--all'], env);
  assert.deepEqual(JSON.parse(dropped.stdout), { dropped: 1 });
  await deleteRows(database, 'queue_message');
});

test('workers that are killed in the middle lose nothing, and nothing is stored twice', async () => {
  const events = simulatedEvents('amazon-sqs', eventCount);
  const accepted = new Set<string>();
  let kills = 0;
  let killing: Promise<void> = Promise.resolve();
  const posting = startPosting({
    baseUrl: api.ready,
    integrationId: integration.integrationId,
    secret: integration.webhookSecret,
    events,
    rate: 200,
    concurrency: 16,
    giveUpAfterMs: 30_000,
    onAccepted: (deliveryId) => {
      accepted.add(deliveryId);
      if (accepted.size < (kills + 1) * killEvery) return;
      kills += 1;
      killing = killing.then(async () => {
        await worker.kill();
        worker = await startProduct('worker', env);
      });
    },
  });
  await posting.done;
  await killing;
  assert.equal(kills, eventCount / killEvery);
  assert.equal(accepted.size, eventCount);
  await waitUntil('everything to be processed', isDrained);
  assert.deepEqual(await deliveries(), accepted);
  assert.equal(await countRows(database, 'dead_letter'), 0);
  const { integrationId } = integration;
  assert.deepEqual(
    await storedRows(database, integrationId),
    await expectedRows(oracle, integrationId, events),
  );
});

async function isDrained(): Promise<boolean> {
  const outside = [name, deadLetterName].map((each) => server.inspectQueue(each)?.messages);
  if (
    outside.some((messages) => messages === undefined || messages.ready.length + messages.inflight.length > 0)
  )
    return false;
  return isQueueIdle(database);
}
