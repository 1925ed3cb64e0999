import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  eventOf,
  integrationId,
  jobPayload,
  pullRequestPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { poisoned, textPoisoned } from '#test/support/data/poison.ts';
import { webhookExamples, type WebhookExample } from '#test/support/data/webhook-examples.ts';
import { parseEvent } from './parsing/parse-event.ts';

const { record } = await createMonitoringStore();

async function store(examples: readonly WebhookExample[]): Promise<number> {
  const events = examples.flatMap(({ eventType, payload }) => {
    const result = parseEvent({
      eventType,
      integrationId,
      deliveryId: null,
      receivedAt: Date.now(),
      payload,
    });
    return result.ok ? [result.event] : [];
  });
  await record(...events);
  return events.length;
}

test('Postgres accepts every event that parses, with any value in any place of a payload', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(poisoned(webhookExamples()), { minLength: 10, maxLength: 10 }),
      async (examples) => void (await store(examples)),
    ),
    { numRuns: 30 },
  );
});

test('Postgres accepts any text in any parsed field', async () => {
  const examples = textPoisoned(webhookExamples());
  let stored = 0;
  for (let start = 0; start < examples.length; start += 10)
    stored += await store(examples.slice(start, start + 10));
  assert.ok(stored > 1000, String(stored));
});

test('the longest names of a payload fit every index key', async () => {
  // Random text, because Postgres compresses long values before it checks the size of an index entry.
  const name = () =>
    Array.from({ length: 4000 }, () => String.fromCharCode(0x4e00 + Math.random() * 20_000)).join('');
  const repository = { full_name: name() };
  const labels = Array.from({ length: 100 }, name);
  const job = {
    status: 'completed',
    name: name(),
    workflow_name: name(),
    runner_name: name(),
    conclusion: name(),
  };
  const run = { status: 'completed', name: name(), conclusion: name() };
  await record(
    eventOf('workflow_job', jobPayload({ ...job, labels }, { repository })),
    eventOf('workflow_run', runPayload(run, { repository })),
    eventOf('pull_request', pullRequestPayload({ head: { sha: name(), ref: name() } }, { repository })),
  );
});
