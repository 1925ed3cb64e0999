import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '#contract/base/errors.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';

const { baseUrl, publicUrl, createIntegration } = await startTestProgram();
const owner = await signInAsOwner(publicUrl);
const integration = await createIntegration();
const limit = 26_214_400;

/** A run's event of exactly so many bytes, most of them in a field that nobody reads. */
function eventOf(runId: number, bytes: number): string {
  const event = {
    action: 'requested',
    repository: { full_name: 'acme/app', default_branch: 'main' },
    workflow: { id: 1, name: 'CI' },
    workflow_run: {
      id: runId,
      run_attempt: 1,
      status: 'queued',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    },
    padding: '',
  };
  return JSON.stringify({ ...event, padding: 'x'.repeat(bytes - JSON.stringify(event).length) });
}

for (const bytes of [1000, 1_048_000, 1_050_000, limit]) {
  test(`an event of ${bytes} bytes is accepted and stored`, async () => {
    const payload = eventOf(bytes, bytes);
    assert.equal(Buffer.byteLength(payload), bytes);
    const { status } = await postWebhook(baseUrl, integration, { event: 'workflow_run', payload });
    assert.equal(status, 200);
    await waitUntil('the run to be stored', async () => {
      const answer = await owner.call('GET', integration.integrationId, `/workflows/${bytes}`);
      return answer.status === 200;
    });
  });
}

test('a body of one byte is JSON, accepted, and dead with its reason', async () => {
  const { status } = await postWebhook(baseUrl, integration, { event: 'workflow_run', payload: '1' });
  assert.equal(status, 200);
  await waitUntil('the message to be dead', async () => {
    const items = await owner.items<{ reason: string }>(integration.integrationId, '/dead-letters');
    return items[0]?.reason === 'invalid_payload';
  });
});

test("one byte more than the forge's own cap is refused", async () => {
  const response = await postWebhook(baseUrl, integration, {
    event: 'workflow_run',
    payload: eventOf(1, limit + 1),
  });
  assert.deepEqual([response.status, ((await response.json()) as Problem).code], [413, 'payload_too_large']);
});
