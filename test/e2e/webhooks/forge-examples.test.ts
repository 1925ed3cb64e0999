import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTypeOf } from '#server/events/types/event-types.ts';
import { objectOfExample, webhookExamples } from '#test/support/data/webhook-examples.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';
import { countRows } from '#test/support/database/rows.ts';

const { baseUrl, publicUrl, database, createIntegration } = await startTestProgram();
const owner = await signInAsOwner(publicUrl);

const examples = webhookExamples();

for (const [forge, ofForge] of Map.groupBy(examples, ({ name }) => name.split(' ')[0]!)) {
  test(`every example of ${forge} goes through HTTP into its row`, async () => {
    assert.ok(ofForge.length >= 3, `only ${ofForge.length} examples`);
    for (const { name, eventType, payload } of ofForge) {
      // The examples are of several servers, whose ids one integration keeps apart.
      const integration = await createIntegration(name);
      const { status } = await postWebhook(baseUrl, integration, { event: eventType, payload });
      assert.equal(status, 200);
      const { name: table, columns, keyLength } = eventTypeOf(eventType).object.table;
      const { key } = objectOfExample(eventType, payload);
      await waitUntil(`${name} ${key} to be stored`, async () => {
        const row = { integration_id: integration.integrationId, [String(columns[keyLength - 1])]: key };
        return (await countRows(database, table, row)) > 0;
      });
      assert.deepEqual(await owner.items(integration.integrationId, '/dead-letters'), []);
    }
  });
}
