import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { forgetEndedSecret, replaceSecret } from '#server/integrations/secrets/webhook-secret.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { countRows, updateRows } from '#test/support/database/rows.ts';

const { baseUrl, database, createIntegration, sealer, logged } = await startTestProgram({}, ['api']);

const ping = (integration: CreatedIntegration): Promise<Response> =>
  postWebhook(baseUrl, integration, { event: 'ping', payload: {} });

async function accepted(response: Promise<Response>): Promise<void> {
  assert.equal((await response).status, 200);
}

const rotate = (integrationId: string, graceMs: number): Promise<string> =>
  database.api.withScope({ integrationId }, async (tx) => {
    const replaced = await replaceSecret({ sealer, clock: Date.now }, tx, integrationId, graceMs);
    return replaced.webhookSecret;
  });

const currentRecorded = ({ integrationId }: CreatedIntegration): Promise<true> =>
  waitUntil('the use of the current secret to be recorded', async () => {
    const current = { integration_id: integrationId, last_secret_used: 'current' };
    return (await countRows(database, 'integrations', current)) === 1;
  });

test('whichever secret came last is the one on record, however fast they take turns', async () => {
  const rotating = await createIntegration('Turns');
  const renewed = { ...rotating, webhookSecret: await rotate(rotating.integrationId, 3_600_000) };
  for (let turn = 0; turn < 50; turn++) {
    await accepted(ping(rotating));
    await accepted(ping(renewed));
    await currentRecorded(rotating);
  }
});

test('a previous secret that no key opens does not stop deliveries with the current one', async () => {
  const rotated = await createIntegration('Without its key');
  const sealed = makeSealer([randomBytes(32)]).seal(Buffer.from('old'), 'anything');
  const hold = (untilHours: number) =>
    updateRows(
      database,
      'integrations',
      {
        previous_webhook_secret: sealed,
        previous_secret_valid_until: new Date(Date.now() + untilHours * 3_600_000).toISOString(),
      },
      { integration_id: rotated.integrationId },
    );
  await hold(-1);
  await accepted(ping(rotated));
  assert.doesNotMatch(logged(), /previous webhook secret not readable/);
  await hold(1);
  await waitUntil('the warning', async () => {
    await accepted(ping(rotated));
    return logged().includes('previous webhook secret not readable');
  });
});

test('a previous secret is deleted when its time is over, and not before', async () => {
  const { integrationId } = await createIntegration('Ending');
  await rotate(integrationId, 3_600_000);
  const forget = () =>
    database.worker.withScope({ integrationId }, (tx) => forgetEndedSecret(tx, integrationId));
  assert.equal(await forget(), 0);
  await rotate(integrationId, 1);
  await waitUntil('its end', async () => (await forget()) === 1);
  const ended = { previous_webhook_secret: null, previous_secret_valid_until: null };
  assert.equal(await countRows(database, 'integrations', { integration_id: integrationId, ...ended }), 1);
});
