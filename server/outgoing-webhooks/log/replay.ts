import {
  mostAttempts,
  mostReplayed,
  type OutgoingWebhook,
  type ReplayAnswer,
  type ReplayFailedBody,
} from '#contract/integrations/outgoing-webhooks.ts';
import { mostWaitingWebhooks } from '#contract/integrations/webhook-subscriptions.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { findReceiver, type ReceiverDeps } from '../sending/find-receiver.ts';
import { countWaiting, enqueueAgain, findWebhook, lockFailed } from './log-store.ts';
import { requireReceiver, webhookNotFound, webhookObject } from './read-log.ts';

export interface ReplayDeps extends ReceiverDeps, Pick<SharedDeps, 'db' | 'clock'> {}

/**
 * Sends a webhook again, with the same id and body, so that its receiver can recognize it. @throws AppError `not_found`; `conflict`
 * when it waits, its receiver is gone or disabled, or its attempts are used up
 */
export async function replayWebhook(
  deps: ReplayDeps,
  actor: Actor,
  webhookId: string,
): Promise<OutgoingWebhook> {
  const { integrationId } = actor;
  return withRole(deps.db, actor, 'member', async (tx) => {
    const row = await findWebhook(tx, integrationId, webhookId, { forUpdate: true });
    if (row === undefined) throw webhookNotFound();
    const { receiver_id: receiverId, event_type: type } = row;
    if (row.status === 'waiting') throw conflict('The webhook waits for its next attempt already.');
    if (row.attempts >= mostAttempts) throw conflict(`A webhook has at most ${mostAttempts} attempts.`);
    if (row.sealed_body === null && row.facts === null)
      throw conflict('The body of this webhook was too large to be kept.');
    await requireEnabled(deps, tx, integrationId, row);
    await requireRoom(tx, integrationId, receiverId);
    await enqueueAgain(tx, integrationId, receiverId, [webhookId]);
    await logReplay(tx, actor, `A webhook of the type ${type} was replayed`, { webhookId, receiverId, type });
    const replayed = await findWebhook(tx, integrationId, webhookId);
    return webhookObject(replayed ?? row);
  });
}

/** Sends the failed webhooks of a receiver again, oldest first. @throws AppError `not_found`; `conflict` when too many wait, or the receiver is gone or disabled */
export async function replayFailed(
  deps: ReplayDeps,
  actor: Actor,
  receiverId: string,
  { since }: ReplayFailedBody,
): Promise<ReplayAnswer> {
  const { integrationId } = actor;
  return withRole(deps.db, actor, 'member', async (tx) => {
    await requireReceiver(tx, integrationId, receiverId);
    const limit = Math.min(mostReplayed, await requireRoom(tx, integrationId, receiverId));
    const filter = { since: new Date(since), mostAttempts, limit: limit + 1 };
    const found = await lockFailed(tx, integrationId, receiverId, filter);
    const [first] = found;
    if (first === undefined) return { replayed: 0, hasMore: false };
    const row = await findWebhook(tx, integrationId, first);
    if (row !== undefined) await requireEnabled(deps, tx, integrationId, row);
    const webhookIds = found.slice(0, limit);
    await enqueueAgain(tx, integrationId, receiverId, webhookIds);
    const count = webhookIds.length;
    const title = `${count} failed ${count === 1 ? 'webhook was' : 'webhooks were'} replayed`;
    await logReplay(tx, actor, title, { receiverId, since, count });
    return { replayed: count, hasMore: found.length > limit };
  });
}

/** How many more webhooks of the receiver can wait, at least one. @throws AppError `conflict` */
export async function requireRoom(tx: Tx, integrationId: string, receiverId: string): Promise<number> {
  const room = mostWaitingWebhooks - (await countWaiting(tx, integrationId, receiverId, mostWaitingWebhooks));
  if (room > 0) return room;
  throw conflict(`At most ${mostWaitingWebhooks} webhooks can wait.`);
}

async function requireEnabled(
  deps: ReplayDeps,
  tx: Tx,
  integrationId: string,
  row: Parameters<typeof findReceiver>[3],
): Promise<void> {
  if ((await findReceiver(deps, tx, integrationId, row, deps.clock())) !== undefined) return;
  throw conflict('The receiver was removed or is disabled. Enable the subscription first.');
}

async function logReplay(
  tx: Tx,
  { integrationId, actorId }: Actor,
  title: string,
  details: Record<string, unknown>,
): Promise<void> {
  await addLogEntry(tx, {
    integrationId,
    type: 'outgoing_webhook.replayed',
    title,
    actorId,
    details,
  });
}

function conflict(detail: string): AppError {
  return new AppError('conflict', { detail });
}
