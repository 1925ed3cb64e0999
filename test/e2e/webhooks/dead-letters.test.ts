import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { serve } from '#test/support/network/serve.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';

const alarms: { type: string; count: number; byReason: Record<string, number> }[] = [];
const receiver = await serve(async (request, response) => {
  const chunks = await request.toArray();
  alarms.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof alarms)[number]);
  response.end();
});

const { baseUrl, publicUrl, createIntegration } = await startTestProgram({
  ALARM_WEBHOOK_URL: `${receiver.url}/alarm`,
});

test('a dead letter raises the alarm: metric, event log of its integration, and ALARM_WEBHOOK_URL', async () => {
  const [ill, healthy] = [await createIntegration('Ill'), await createIntegration('Healthy')];
  await postWebhook(baseUrl, ill, { event: 'workflow_run', payload: { workflow_run: { id: 'x' } } });

  const [alarm] = await waitUntil('the alarm to be posted', () => alarms.length > 0 && alarms);
  assert.deepEqual([alarm?.type, alarm?.count, alarm?.byReason], ['dead_letters', 1, { invalid_payload: 1 }]);
  assert.doesNotMatch(JSON.stringify(alarm), new RegExp(ill.webhookSecret));
  const metrics = await readMetrics(baseUrl);
  assert.match(metrics, /^forgewatch_dead_letters 1$/m);
  const owner = await signInAsOwner(publicUrl);
  const logOf = async (integrationId: string) => {
    const entries = await owner.items<LogEntry>(integrationId, '/event-log');
    return entries.flatMap(({ type, title, severity }) =>
      type === 'integration.created' ? [] : [{ title, severity }],
    );
  };
  assert.deepEqual(await logOf(ill.integrationId), [
    { title: '1 webhook could not be processed', severity: 'error' },
  ]);
  assert.deepEqual(await logOf(healthy.integrationId), []);

  await postWebhook(baseUrl, ill, { event: 'workflow_job', payload: { workflow_job: [] } });
  await waitUntil(
    'the next dead letter in the event log',
    async () => (await logOf(ill.integrationId)).length === 2,
  );
});
