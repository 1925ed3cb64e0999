import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { listDeadLetters } from '#server/queue/postgres/dead-letters/dead-letter-store.ts';
import { readStreamPosition } from '#server/realtime/outbox/read-position.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { runProduct, startProduct } from '#test/support/product/product-process.ts';
import { storedRuns } from '#test/support/data/reading/stored-runs.ts';
import { readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { isQueueIdle } from '#test/support/queue/idle-queue.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const database = await createTestDatabase();
const dataDir = await makeTemporaryDirectory();
// A lease lasts three seconds.
const env = { ...productEnv(database.url, dataDir), WORKER_TIMEOUT_SECONDS: '2' };
const api = await startProduct('api', env);
const worker = await startProduct('worker', env);
after(async () => {
  worker.signal('SIGCONT');
  await Promise.all([api.kill(), worker.kill()]);
});
const created = await runProduct(['integration', 'create', '--label', 'Frozen'], env);
const integration = JSON.parse(created.stdout) as CreatedIntegration;

/** Freezes the worker in the middle of a batch, until its lease has run out for longer than a sweep takes. */
async function freezeDuringBatch(runId: number): Promise<void> {
  const blocker = new pg.Client({ connectionString: database.url });
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('select from realtime_stream for update');
  const answer = await postWebhook(api.ready, integration, {
    event: 'workflow_run',
    payload: runPayload({ id: runId }),
  });
  assert.equal(answer.status, 200);
  await untilSessionWaits(database, 'the worker');
  worker.signal('SIGSTOP');
  await waitUntil('the lease to run out', async () => {
    const groups = await readRows<{ lease_until: Date | null }>(database, 'queue_group');
    return groups.some(({ lease_until: end }) => end !== null && Number(end) < Date.now() - 3_000);
  });
  await blocker.query('commit');
  await blocker.end();
}

async function stored(): Promise<{ runs: number; updates: number; dead: number }> {
  const { integrationId } = integration;
  const runs = await storedRuns(database, integrationId);
  const dead = await database.api.withScope('service', (tx) => listDeadLetters(tx, {}));
  const { seq } = await database.api.withScope({ integrationId }, (tx) =>
    readStreamPosition(tx, integrationId),
  );
  return { runs: runs.length, updates: seq, dead: dead.length };
}

test('a worker that was frozen beyond its lease stores the messages that nobody else took', async () => {
  await freezeDuringBatch(1);
  worker.signal('SIGCONT');
  await waitUntil('the run', async () => (await stored()).runs === 1 && (await isQueueIdle(database)));
  assert.deepEqual(await stored(), { runs: 1, updates: 1, dead: 0 });
  const [group] = await readRows<{ suspect_hi: string }>(database, 'queue_group');
  assert.equal(Number(group?.suspect_hi), 0, 'the messages were delivered again');
});

test('a worker that was frozen while another one took its messages stores nothing twice', async () => {
  await freezeDuringBatch(2);
  const other = await startProduct('worker', env);
  try {
    await waitUntil('the run', async () => (await stored()).runs === 2);
    worker.signal('SIGCONT');
    await postWebhook(api.ready, integration, { event: 'workflow_run', payload: runPayload({ id: 3 }) });
    await waitUntil('the next run', async () => (await stored()).runs === 3 && (await isQueueIdle(database)));
    assert.deepEqual(await stored(), { runs: 3, updates: 3, dead: 0 });
  } finally {
    await other.kill();
  }
});
