import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { SampleData } from '#contract/integrations/integrations.ts';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { startProgram } from '#server/main.ts';
import { postEvents } from '#server/simulate/post-events.ts';
import { sampleEvents } from '#server/simulate/sample-traffic.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { beginSamples } from './begin-samples.ts';
import { makeSampleProofs } from './sample-delivery.ts';

const { database, publicUrl, createIntegration } = await startTestProgram({}, ['api']);
const browser = await signInAsDemo(publicUrl);

async function startWorker() {
  return startProgram(
    loadConfig({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testMasterKey.toString('base64'),
      DATA_DIR: '/nonexistent',
    }),
    pino({ level: 'silent' }),
    ['worker'],
  );
}

test('sample data that waits in the queue is removed too, and a worker that starts continues a removal', async () => {
  const { integrationId, webhookSecret: secret } = await createIntegration();
  const call = async <Body>(method: string, path: string): Promise<Body> => {
    const url = `${publicUrl}/api/integrations/${integrationId}${path}`;
    return (await (await browser.fetch(url, { method, headers: { origin: publicUrl } })).json()) as Body;
  };
  const { proofOf } = makeSampleProofs([testMasterKey]);
  const generation = await beginSamples(database.api, integrationId);
  const target = { baseUrl: publicUrl, integrationId, secret };
  const samples = sampleEvents(Date.now());
  const real = createSimulator({ seed: 'real', startAt: new Date() }).story('push');
  const sent = await Promise.all([
    postEvents({ ...target, events: samples, mark: { integrationId, generation, proofOf } }),
    postEvents({ ...target, events: real, concurrency: 1 }),
  ]);
  assert.deepEqual(
    sent.map(({ accepted }) => accepted),
    [samples.length, real.length],
  );
  assert.deepEqual(await call('DELETE', '/sample-data'), { state: 'removing' });
  const refused = await call<{ code: string; detail: string }>('POST', '/sample-traffic');
  assert.deepEqual(
    [refused.code, refused.detail],
    ['conflict', 'Sample data is being removed. Try again in a minute.'],
  );

  const worker = await startWorker();
  try {
    await waitUntil('the end', async () => (await call<SampleData>('GET', '/sample-data')).state === 'none');
    const { items } = await call<{ items: { verdict: string }[] }>('GET', '/deliveries?limit=100');
    assert.deepEqual(
      items.map(({ verdict }) => verdict),
      real.map(() => 'stored'),
    );
    const runs = await call<{ items: { repository: string }[] }>('GET', '/workflows?limit=100');
    assert.deepEqual(
      new Set(runs.items.map(({ repository }) => repository)),
      new Set(real.map(({ payload }) => payload.repository.full_name)),
    );
  } finally {
    await worker.stop();
  }
});
