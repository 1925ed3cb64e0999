import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { SampleData } from '#contract/integrations/integrations.ts';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { startProgram } from '#server/main.ts';
import { purgeSampleMessages } from '#server/queue/postgres/maintenance/purge-messages.ts';
import { announceResync } from '#server/realtime/outbox/append-updates.ts';
import { postEvents } from '#server/simulate/post/post-events.ts';
import { sampleEvents } from '#server/simulate/sample-traffic.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { beginSamples } from './begin-samples.ts';
import { makeSampleRemoval } from './delete-samples.ts';
import { makeSampleProofs } from './sample-delivery.ts';

const { database, publicUrl, sealer, createIntegration } = await startTestProgram(
  { API_REQUESTS_PER_MINUTE: '1000000' },
  ['api'],
);
const browser = await signInAsDemo(publicUrl);
const dataDir = await makeTemporaryDirectory();

async function whileWorkerRuns(work: () => Promise<void>): Promise<void> {
  const settings = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: testMasterKey.toString('base64'),
    DATA_DIR: dataDir,
  };
  const worker = await startProgram(loadConfig(settings), pino({ level: 'silent' }), ['worker']);
  await work().finally(() => worker.stop());
}

interface Runs {
  items: { repository: string }[];
}

/** An integration to which sample data and a push of a forge were sent. */
async function filledIntegration() {
  const { integrationId, webhookSecret: secret } = await createIntegration();
  const call = async <Body>(method: string, rest: string): Promise<Body> => {
    const url = `${publicUrl}/api/integrations/${integrationId}${rest}`;
    return (await (await browser.fetch(url, { method, headers: { origin: publicUrl } })).json()) as Body;
  };
  const { proofOf } = makeSampleProofs([testMasterKey]);
  const mark = { integrationId, generation: await beginSamples(database.api, integrationId), proofOf };
  const target = { baseUrl: publicUrl, integrationId, secret };
  const samples = sampleEvents(Date.now());
  const real = createSimulator({ seed: 'real', startAt: new Date() }).story('push');
  const sent = await Promise.all([
    postEvents({ ...target, events: samples, mark }),
    postEvents({ ...target, events: real, concurrency: 1 }),
  ]);
  assert.deepEqual(
    sent.map(({ accepted }) => accepted),
    [samples.length, real.length],
  );
  return {
    call,
    isSettled: async () => {
      const { items } = await call<{ items: { verdict: string }[] }>('GET', '/deliveries?limit=1');
      return items.every(({ verdict }) => !['waiting', 'processing'].includes(verdict));
    },
    isRemoved: async () => (await call<SampleData>('GET', '/sample-data')).state === 'none',
    assertOnlyReal: async () => {
      const { items } = await call<{ items: { verdict: string }[] }>('GET', '/deliveries?limit=100');
      assert.deepEqual(
        items.map(({ verdict }) => verdict),
        real.map(() => 'stored'),
      );
      const runs = await call<Runs>('GET', '/workflows?limit=100');
      assert.deepEqual(
        new Set(runs.items.map(({ repository }) => repository)),
        new Set(real.map(({ payload }) => payload.repository.full_name)),
      );
    },
  };
}

test('sample data that waits in the queue is removed too', async () => {
  const { call, isRemoved, assertOnlyReal } = await filledIntegration();
  assert.deepEqual(await call('DELETE', '/sample-data'), { state: 'removing' });
  const refused = await call<{ code: string; detail: string }>('POST', '/sample-traffic');
  assert.deepEqual(
    [refused.code, refused.detail],
    ['conflict', 'Sample data is being removed. Try again in a minute.'],
  );
  await whileWorkerRuns(async () => {
    await waitUntil('the end of the removal', isRemoved);
    await assertOnlyReal();
  });
});

test('a removal takes small steps, and a process that starts continues what another one left', async () => {
  const { call, isSettled, isRemoved, assertOnlyReal } = await filledIntegration();
  await whileWorkerRuns(() => waitUntil('everything to be processed', isSettled).then(() => {}));
  const countRuns = async () => (await call<Runs>('GET', '/workflows?limit=100')).items.length;
  const before = await countRuns();
  await call('DELETE', '/sample-data');
  const removal = (onMessages: () => void) =>
    makeSampleRemoval({
      db: database.worker,
      log: pino({ enabled: false }),
      rowsAtOnce: 2,
      everyMs: 10,
      announceResync,
      deleteMessages: (tx) => {
        onMessages();
        return purgeSampleMessages(tx, sealer);
      },
    });
  const interrupted = removal(() => assert.fail('the first process is stopped while it deletes runs'));
  await interrupted.start();
  await waitUntil('some runs to be deleted', async () => (await countRuns()) < before);
  await interrupted.stop();
  assert.equal(await isRemoved(), false);
  const next = removal(() => {});
  await next.start();
  await waitUntil('the end of the removal', isRemoved);
  await next.stop();
  await assertOnlyReal();
});
