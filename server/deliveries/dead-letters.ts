import type { DeadLetter, DeadLetterPage } from '#contract/deliveries/deliveries.ts';
import type { Database } from '#platform/database/database.ts';
import { defaultLimit } from '#platform/http/page-cursor.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';
import type { DeadLetters } from '#server/queue/queue.ts';
import { deliveryItem, loadDeliveries, deliveriesPerQuery, type DeliveriesDeps } from './load-deliveries.ts';
import { checkedCursor } from './list-deliveries.ts';
import { isScopeOpen, readStoredDeliveries } from './store.ts';

export interface DeadLettersDeps extends DeliveriesDeps {
  deadLetters: DeadLetters;
}

/**
 * The dead letters of an integration, oldest first. The id of its queue group is the integration's id.
 * @throws AppError `invalid_request` for an invalid cursor.
 */
export async function listDeadLetters(
  deps: DeadLettersDeps,
  integrationId: string,
  { limit = defaultLimit, cursor, messageId }: { limit?: number; cursor?: string; messageId?: string },
): Promise<DeadLetterPage> {
  await requireOpenScope(deps.db, integrationId);
  const rows = await deps.deadLetters.list({
    groupId: integrationId,
    limit: limit + 1,
    ...(cursor === undefined ? {} : { after: checkedCursor(cursor) }),
    ...(messageId === undefined ? {} : { messageIds: [messageId] }),
  });
  const shown = rows.slice(0, limit);
  const names = await namesOf(
    deps,
    integrationId,
    shown.map(({ messageId }) => messageId),
  );
  const items = shown.map(({ messageId, reason, detail, sentAt, deadAt }) => ({
    messageId,
    ...(names.get(messageId) ?? { event: null, repository: null, forgeDeliveryId: null }),
    reason,
    detail,
    sentAt: sentAt.toISOString(),
    deadAt: deadAt.toISOString(),
  }));
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.messageId ?? null) : null };
}

type DeadLetterNames = Pick<DeadLetter, 'event' | 'repository' | 'forgeDeliveryId'>;

/** Event, repository and delivery id by message id. A dead letter keeps the id of its message. */
async function namesOf(
  { db, sealer }: DeliveriesDeps,
  integrationId: string,
  messageIds: readonly string[],
): Promise<Map<string, DeadLetterNames>> {
  const names = new Map<string, DeadLetterNames>();
  for (let start = 0; start < messageIds.length; start += deliveriesPerQuery) {
    const known = await db.withScope({ integrationId }, async (tx) => {
      const ids = messageIds.slice(start, start + deliveriesPerQuery);
      return loadDeliveries(tx, sealer, integrationId, await readStoredDeliveries(tx, ids));
    });
    for (const { deliveryId, event, repository, forgeDeliveryId } of known.map(deliveryItem))
      names.set(deliveryId, { event, repository, forgeDeliveryId });
  }
  return names;
}

/** Retries all dead letters of the integration, or the given ones. Returns how many. */
export async function redriveDeadLetters(
  { db, deadLetters }: DeadLettersDeps,
  integrationId: string,
  messageIds: readonly string[] | undefined,
  actorId: string,
): Promise<number> {
  await requireOpenScope(db, integrationId);
  const count = await deadLetters.redrive({
    groupId: integrationId,
    ...(messageIds === undefined ? {} : { messageIds }),
  });
  if (count > 0) {
    await recordLogEntry(db, {
      integrationId,
      type: 'dead_letters.redriven',
      title: count === 1 ? '1 dead letter was queued again' : `${count} dead letters were queued again`,
      actorId,
      details: { count },
    });
  }
  return count;
}

/** @throws AppError `not_found` when the integration has no such dead letter. */
export async function dropDeadLetter(
  { db, deadLetters }: DeadLettersDeps,
  integrationId: string,
  messageId: string,
  actorId: string,
): Promise<void> {
  await requireOpenScope(db, integrationId);
  const count = await deadLetters.drop({ groupId: integrationId, messageIds: [messageId] });
  if (count === 0) throw new AppError('not_found', { detail: 'Message not found.' });
  await recordLogEntry(db, {
    integrationId,
    type: 'dead_letters.dropped',
    severity: 'warning',
    title: 'A dead letter was dropped',
    actorId,
    details: { messageId },
  });
}

/** The queue does not know members, so this checks that the acting user may access the integration. */
async function requireOpenScope(db: Database, integrationId: string): Promise<void> {
  if (!(await db.withScope({ integrationId }, isScopeOpen)))
    throw new AppError('insufficient_role', { detail: 'Only members of the integration can do this.' });
}
