import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { startSilentProxy } from '#test/support/network/silent-proxy.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { storedRuns } from '#test/support/data/reading/stored-runs.ts';
import { untilSessionWaits, waitingSessions } from '#test/support/database/waiting-sessions.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const api = await startTestProgram({}, ['api']);
const { baseUrl, database } = api;
const integration = await api.createIntegration('Hanging');
const proxy = await startSilentProxy(database.url);
const metricsUrl = `http://127.0.0.1:${await freePort()}`;
const dataDir = await makeTemporaryDirectory();
const worker = await startProduct('worker', {
  DATABASE_URL: proxy.url,
  ENCRYPTION_KEY: testMasterKey.toString('base64'),
  DATA_DIR: dataDir,
  METRICS_PORT: new URL(metricsUrl).port,
  WORKER_TIMEOUT_SECONDS: '1',
});
after(() => worker.kill());

let runs = 0;
const post = async (): Promise<void> => {
  const { status } = await postWebhook(baseUrl, integration, {
    event: 'workflow_run',
    payload: runPayload({ id: (runs += 1) }),
  });
  assert.equal(status, 200);
};
const allStored = () =>
  waitUntil(
    'all events to be stored',
    async () => (await storedRuns(database, integration.integrationId)).length === runs,
  );

test('a batch that waits for a lock lets go after the time limit of the worker, and is stored later', async () => {
  await post();
  await allStored();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('begin; select from realtime_stream for update');
  await post();
  await untilSessionWaits(database, 'the batch');
  // In less time than the 30 s that any other statement may wait.
  await waitUntil('the batch to let go', async () => (await waitingSessions(database)) === 0);
  await owner.end();
  await allStored();
});

test('a worker whose network lost its way goes on by itself', async () => {
  proxy.silence();
  await post();
  await allStored();
});

test('the database is ready while nobody can count what lies in the queue', async () => {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('begin; lock table queue_message');
  const answers = await Promise.all([baseUrl, metricsUrl].map((url) => fetch(`${url}/readyz`)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  await owner.end();
});

test('a worker alone serves its metrics on METRICS_PORT, and no other page', async () => {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  assert.match(text, /^forgewatch_events_total\{outcome="stored"\} \d+$/m);
  assert.match(text, /^forgewatch_queue_ready 0$/m);
  assert.equal((await fetch(`${metricsUrl}/healthz`)).status, 200);
  assert.equal((await fetch(`${metricsUrl}/api/integrations`)).status, 404);
});
