import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from '#platform/database/embedded/embedded-postgres.ts';
import { startPosting } from '#server/simulate/post/post-events.ts';
import { simulatedEvents } from '#test/support/data/simulated-events.ts';
import { fastestParent, makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { runProduct, startProduct, type ProductProcess } from '#test/support/product/product-process.ts';
import { expectedRows, storedRows } from '#test/support/data/reading/stored-rows.ts';
import { readRows } from '#test/support/database/rows.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts';
import { queuedDeliveries, untilQueueIsIdle } from '#test/support/queue/idle-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

/** Events of the whole test; they come at about 500 a second, and something is killed every 200 of them. */
const eventCount = 2000;
const killEvery = 200;

const { directory, remove } = await makeEnterableDirectory('crash', await fastestParent());
const cluster = path.join(directory, 'cluster');
// Below the ports that outgoing connections and other tests get, so that nobody takes them while their owners are down.
const port = 12_000 + 2 * (process.pid % 1_400);
const oracle = await createTestDatabase();

const postgres = await startEmbeddedPostgres({ directory: cluster, port });
const env = {
  ...productEnv(postgres.url, path.join(directory, 'data')),
  PORT: String(port + 1),
  PUBLIC_URL: `http://localhost:${port + 1}`,
  WORKER_TIMEOUT_SECONDS: '1',
};
const running: { api: ProductProcess; worker: ProductProcess } = {
  api: await startProduct('api', env),
  worker: await startProduct('worker', env),
};
after(async () => {
  await Promise.all([running.api.kill(), running.worker.kill()]);
  await postgres.stop();
  await remove();
});

/** What is killed in turn; each comes back by itself, as a supervisor would see to. */
const victims = {
  worker: async () => {
    await running.worker.kill();
    running.worker = await startAgain('worker');
  },
  api: async () => {
    await running.api.kill();
    running.api = await startAgain('api');
  },
  postgres: async () => {
    const killed = postgres.pid();
    process.kill(killed, 'SIGKILL');
    await waitUntil('Postgres to be started again', () => postgres.pid() !== killed);
  },
};

/** A start while the database is away fails and says so; a supervisor tries again. */
async function startAgain(verb: 'api' | 'worker'): Promise<ProductProcess> {
  for (;;) {
    const started = await startProduct(verb, env).catch(() => undefined);
    if (started !== undefined) return started;
  }
}

test('whatever is killed in the middle, every accepted webhook is stored exactly once or dead with a reason', async () => {
  const created = await runProduct(['integration', 'create', '--label', 'Crash'], env);
  const { integrationId, webhookSecret } = JSON.parse(created.stdout) as {
    integrationId: string;
    webhookSecret: string;
  };
  const events = simulatedEvents('crash', eventCount);
  const accepted = new Set<string>();
  const order = Object.keys(victims) as (keyof typeof victims)[];
  let kills = 0;
  let killing: Promise<void> = Promise.resolve();

  const posting = startPosting({
    baseUrl: env.PUBLIC_URL,
    integrationId,
    secret: webhookSecret,
    events,
    rate: 500,
    concurrency: 32,
    giveUpAfterMs: 60_000,
    onAccepted: (deliveryId) => {
      accepted.add(deliveryId);
      if (accepted.size < (kills + 1) * killEvery) return;
      const victim = order[kills % order.length] ?? 'worker';
      kills += 1;
      killing = killing.then(victims[victim]);
    },
  });
  await posting.done;
  await killing;
  assert.ok(kills >= 9, `only ${kills} kills`);
  assert.equal(accepted.size, eventCount, 'an event never got its 200');

  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const own: Pick<TestDatabase, 'asOwner'> = {
      asOwner: async (text, values) => (await client.query(text, values)).rows,
    };
    await untilQueueIsIdle(own);
    const dead = await readRows<{ reason: string }>(own, 'dead_letter');
    // A message that was abandoned is redriven by itself.
    assert.deepEqual(
      dead.map(({ reason }) => reason),
      [],
    );
    assert.deepEqual(new Set(await queuedDeliveries(own)), accepted);
    assert.deepEqual(await storedRows(own, integrationId), await expectedRows(oracle, integrationId, events));
  } finally {
    await client.end();
  }
});
