import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import type { Integration } from '#contract/integrations/integrations.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { requestWebhookUpdate } from '#server/forge-tasks/request-tasks.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { readIntegration, type ReadDeps } from './read-integrations.ts';
import { updateLabel, updateWebhookEvents } from './store.ts';

/** Renames the integration. */
export async function renameIntegration(
  { db, publicUrl }: ReadDeps,
  actor: Actor,
  label: string,
): Promise<Integration> {
  const { integrationId, actorId } = actor;
  return withRole(db, actor, 'admin', async (tx) => {
    const former = await updateLabel(tx, integrationId, label);
    if (former !== undefined && former !== label) {
      await addLogEntry(tx, {
        ...actor,
        type: 'integration.renamed',
        title: `The integration was renamed from “${former}” to “${label}”`,
        details: { from: former, to: label },
      });
    }
    return readIntegration(tx, publicUrl, { integrationId, userId: actorId });
  });
}

/** Selects the events to process. Deliveries of other events are answered and dropped. */
export async function changeWebhookEvents(
  { db, publicUrl }: ReadDeps,
  actor: Actor,
  events: readonly QueuedEvent[],
): Promise<Integration> {
  const { integrationId, actorId } = actor;
  return withRole(db, actor, 'admin', async (tx) => {
    const former = await updateWebhookEvents(tx, integrationId, events);
    if (former !== undefined && former.toSorted().join() !== events.toSorted().join()) {
      await requestWebhookUpdate(tx, integrationId);
      await addLogEntry(tx, {
        ...actor,
        type: 'integration.events_changed',
        title: events.length === 0 ? 'No events are selected' : `Selected events: ${events.join(', ')}`,
        details: { from: former, to: events },
      });
    }
    return readIntegration(tx, publicUrl, { integrationId, userId: actorId });
  });
}
