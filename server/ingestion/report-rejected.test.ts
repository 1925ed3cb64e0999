import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import { runPayload } from '#test/support/data/forge-events.ts';
import { logEntries } from '#test/support/data/log-entries.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { describeRejected, makeRejectionReporter, type RejectedCounts } from './report-rejected.ts';

const log = pino({ level: 'silent' });

function watch(options: { notifyEveryMs?: number; fails?: number } = {}) {
  const reported: RejectedCounts[] = [];
  let failures = options.fails ?? 0;
  const rejected = makeRejectionReporter({
    log,
    checkEveryMs: 5,
    notifyEveryMs: options.notifyEveryMs ?? 3_600_000,
    notify: async (_id, counts) => {
      failures -= 1;
      if (failures >= 0) throw new Error('away');
      reported.push(counts);
    },
  });
  return { rejected, reported };
}

test('the first refusal is reported soon, later ones once an hour, the rest at the stop', async () => {
  const { rejected, reported } = watch();
  await rejected.start();
  rejected.note('one', 'invalid_signature');
  await waitUntil('the report', () => reported.length === 1);
  for (let count = 0; count < 1000; count += 1) rejected.note('one', 'invalid_signature');
  rejected.note('two', 'invalid_json');
  await waitUntil('the other report', () => reported.length === 2);
  assert.deepEqual(reported, [{ invalid_signature: 1 }, { invalid_json: 1 }]);
  await rejected.stop();
  assert.deepEqual(reported.slice(2), [{ invalid_signature: 1000 }]);
});

test('unknown integrations are not reported, and counts survive a failed report', async () => {
  const { rejected, reported } = watch({ notifyEveryMs: 5, fails: 2 });
  await rejected.start();
  rejected.note(undefined, 'invalid_signature');
  rejected.note('one', 'invalid_json');
  await waitUntil('the report', () => reported.length === 1);
  await rejected.stop();
  assert.deepEqual(reported, [{ invalid_json: 1 }]);
});

test('refused deliveries stand in the event log as a count', async () => {
  const { baseUrl, database, createIntegration, program } = await startTestProgram(
    { WEBHOOK_MAX_BYTES: '10000' },
    ['api'],
  );
  const integration = await createIntegration();
  const send = (headers: Record<string, string>, payload: object | string = runPayload()) =>
    postWebhook(baseUrl, integration, { event: 'workflow_run', payload, headers });
  const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
  assert.equal((await send(wrong)).status, 401);
  assert.equal((await send(wrong)).status, 401);
  assert.equal((await send({}, 'no json')).status, 400);
  const unknown = { ...integration, integrationId: randomUUID() };
  assert.equal(
    (await postWebhook(baseUrl, unknown, { event: 'workflow_run', payload: runPayload() })).status,
    401,
  );
  const large = runPayload({ display_title: 'x'.repeat(10_000) });
  assert.equal((await send({}, large)).status, 413);
  assert.equal((await postWebhook(baseUrl, unknown, { event: 'workflow_run', payload: large })).status, 413);
  const counted = await readMetrics(baseUrl);
  assert.match(counted, /forgewatch_webhooks_total\{outcome="refused"\} 6/);
  await program.stop();
  const entries = await logEntries(database, integration.integrationId, 'deliveries.rejected');
  const sum = (reason: string) =>
    entries.reduce((total, { details }) => total + Number(details[reason] ?? 0), 0);
  assert.deepEqual([sum('invalid_signature'), sum('payload_too_large')], [2, 1]);
  assert.equal(
    describeRejected({ invalid_signature: 2, invalid_json: 1, payload_too_large: 1 }),
    '4 webhooks were refused: 2 without a signature that holds, 1 that held no JSON, 1 larger than WEBHOOK_MAX_BYTES',
  );
});
