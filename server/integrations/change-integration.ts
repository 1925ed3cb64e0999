import type { QueuedEvent } from '#contract/integrations.ts';
import type { Integration } from '#contract/integrations.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { lockMemberRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { readIntegration, type ReadDeps } from './read-integrations.ts';
import { updateLabel, updateWebhookEvents } from './store.ts';

/** Gives the integration another name. */
export async function renameIntegration(
  { db, publicUrl }: ReadDeps,
  actor: Actor,
  label: string,
): Promise<Integration> {
  const { integrationId, actorId } = actor;
  return db.withScope({ integrationId }, async (tx) => {
    await lockMemberRole(tx, actor, 'admin');
    const former = await updateLabel(tx, integrationId, label);
    if (former !== undefined && former !== label) {
      await addLogEntry(tx, {
        integrationId,
        type: 'integration.renamed',
        severity: 'info',
        title: `The integration is now called “${label}”, was “${former}”`,
        actorId,
        details: { from: former, to: label },
      });
    }
    return readIntegration(tx, publicUrl, { integrationId, userId: actorId });
  });
}

/** Chooses which events are taken; deliveries of others are answered and dropped. */
export async function changeWebhookEvents(
  { db, publicUrl }: ReadDeps,
  actor: Actor,
  events: readonly QueuedEvent[],
): Promise<Integration> {
  const { integrationId, actorId } = actor;
  return db.withScope({ integrationId }, async (tx) => {
    await lockMemberRole(tx, actor, 'admin');
    const former = await updateWebhookEvents(tx, integrationId, events);
    if (former !== undefined && former.toSorted().join() !== events.toSorted().join()) {
      await addLogEntry(tx, {
        integrationId,
        type: 'integration.events_changed',
        severity: 'info',
        title: events.length === 0 ? 'No events are taken any more' : `Events taken: ${events.join(', ')}`,
        actorId,
        details: { from: former, to: events },
      });
    }
    return readIntegration(tx, publicUrl, { integrationId, userId: actorId });
  });
}
