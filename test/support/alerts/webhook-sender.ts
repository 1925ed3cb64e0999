import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import pino from 'pino';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import type { EventWebhookType } from '#contract/integrations/webhook-types.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { readWebhooks } from '#server/outgoing-webhooks/log/read-log.ts';
import { replayFailed } from '#server/outgoing-webhooks/log/replay.ts';
import { webhookPolicy, type WebhookPolicy } from '#server/outgoing-webhooks/policy.ts';
import { webhookTasks } from '#server/outgoing-webhooks/sending/send-in-order.ts';
import { readSubscription } from '#server/outgoing-webhooks/subscriptions/read-subscriptions.ts';
import {
  changeSubscription,
  createSubscription,
} from '#server/outgoing-webhooks/subscriptions/save-subscription.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { announceMembers } from '#server/webhook-events/announce-members.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { addPerson } from '#test/support/team/people.ts';
import { logEntries } from '#test/support/data/log-entries.ts';
import { startNotificationReceiver } from './notification-receiver.ts';
import { startTasks } from '#test/support/product/start-tasks.ts';

const sealer = makeSealer([testMasterKey]);

/** The sender of outgoing webhooks with a receiver, without the product around it. */
export async function setUpSender() {
  const database = await createTestDatabase();
  const receiver = await startNotificationReceiver(2000);
  const actorId = await addPerson(database, { name: 'Ann' });
  const save = { db: database.api, sealer, refusal: () => undefined };
  const findChannel = async () => undefined;
  const newIntegration = async (): Promise<string> =>
    (await createIntegration({ db: database.api, sealer }, { label: 'Team', ownerId: actorId }))
      .integrationId;
  const body = { name: 'Chat bot', eventTypes: ['member.added' as const] };
  return {
    database,
    receiver,
    newIntegration,
    subscribe: (
      integrationId: string,
      url: string,
      eventTypes: EventWebhookType[] = body.eventTypes,
    ): Promise<WebhookSubscription> =>
      createSubscription(save, { integrationId, actorId }, { ...body, url, eventTypes }),
    enable: (integrationId: string, subscriptionId: string, url: string) =>
      changeSubscription(save, { integrationId, actorId }, subscriptionId, { ...body, url, enabled: true }),
    disable: (integrationId: string, subscriptionId: string) =>
      changeSubscription(save, { integrationId, actorId }, subscriptionId, { ...body, enabled: false }),
    read: (integrationId: string, subscriptionId: string): Promise<WebhookSubscription> =>
      database.api.withScope({ integrationId }, (tx) => readSubscription(tx, integrationId, subscriptionId)),
    log: async (integrationId: string, receiverId: string) =>
      (
        await database.api.withScope({ integrationId }, (tx) =>
          readWebhooks(tx, integrationId, receiverId, {}),
        )
      ).items,
    replayFailed: (integrationId: string, receiverId: string) =>
      replayFailed(
        { db: database.api, sealer, clock: Date.now, findChannel },
        { integrationId, actorId },
        receiverId,
        {
          since: '2026-01-01T00:00:00.000Z',
        },
      ),
    /** Returns the id of the person that the event is about. */
    produce: async (integrationId: string): Promise<string> => {
      const userId = randomUUID();
      await database.worker.withScope({ integrationId }, (tx) =>
        announceMembers(tx, integrationId, 'member.added', [{ userId, role: 'viewer', previousRole: null }]),
      );
      return userId;
    },
    /** Makes everything of the integration as old as if this time had passed, once no turn is in progress. */
    pass: async (integrationId: string, ms: number): Promise<void> => {
      await waitUntil('the end of the turns', async () => {
        const tasks = await readRows(database, 'tasks', { integration_id: integrationId });
        return tasks.every(({ leased_until: lease }) => lease === null);
      });
      const earlier = `- $2 * interval '1 ms'`;
      for (const text of [
        `update outgoing_webhooks set created_at = created_at ${earlier}, next_attempt_at = next_attempt_at ${earlier}
         where integration_id = $1`,
        `update tasks set due_at = due_at ${earlier} where integration_id = $1`,
        `update webhook_subscriptions set failing_since = failing_since ${earlier} where integration_id = $1`,
      ])
        await database.asOwner(text, [integrationId, ms]);
    },
    entries: (integrationId: string) => logEntries(database, integrationId, 'webhook_subscription'),
    /** Starts a process that sends; the end of the test stops it. */
    start: async (t: TestContext, policy: Partial<WebhookPolicy> = {}): Promise<void> => {
      const kind = webhookTasks({
        db: database.worker,
        log: pino({ enabled: false }),
        clock: Date.now,
        sealer,
        guardedFetch: receiver.guardedFetch,
        policy: { ...webhookPolicy, backOffMs: [20], ...policy },
        findChannel,
      });
      await startTasks(t, database, [kind]);
    },
  };
}
