import type { GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { WebhookPolicy } from '../policy.ts';
import { bodyOf, sealBody } from '../webhook-body.ts';
import { findWaiting, type WaitingWebhook } from './attempt-store.ts';
import { findReceiver, type Receiver, type ReceiverDeps } from './find-receiver.ts';
import { claimNext, delayQueued, dropQueued, failWaiting, type QueuedWebhook } from './queue-store.ts';
import { postWebhook } from './send-webhook.ts';
import { settleAttempt, type EndedAttempt } from './settle-attempt.ts';

export interface SendInOrderDeps extends ReceiverDeps, Pick<SharedDeps, 'db' | 'log' | 'clock'> {
  guardedFetch: Pick<GuardedFetch, 'post'>;
  policy: WebhookPolicy;
}

/** Sends webhooks of one receiver until one fails, none waits, or it had its turn. */
export async function sendInOrder(
  deps: SendInOrderDeps,
  first: QueuedWebhook,
  signal: AbortSignal,
): Promise<void> {
  let queued: QueuedWebhook | undefined = first;
  for (let count = 1; queued !== undefined; count += 1)
    queued = await sendOne(deps, queued, count < deps.policy.inARow, signal);
}

/** Returns the next webhook of the receiver, leased. */
async function sendOne(
  deps: SendInOrderDeps,
  queued: QueuedWebhook,
  mayContinue: boolean,
  signal: AbortSignal,
): Promise<QueuedWebhook | undefined> {
  const { db, log, policy } = deps;
  const { group_id: integrationId, receiver_id: receiverId, webhook_id: webhookId } = queued;
  const found = await read(deps, queued);
  const ended = found && (await attempt(deps, found, signal));
  return db.withScope({ integrationId }, async (tx) => {
    if (found === undefined || ended === undefined) {
      await dropQueued(tx, queued.position);
      return mayContinue ? claimNext(tx, receiverId, policy.leaseMs) : undefined;
    }
    const { problem, statusCode } = ended.result;
    // Stopping this process aborted the request: the next process sends it.
    if (problem !== null && signal.aborted) return void (await delayQueued(tx, queued.position, 0));
    if (problem !== null)
      log.info({ integrationId, receiverId, webhookId, statusCode, problem }, 'webhook delivery failed');
    const goesOn = await settleAttempt(tx, policy, queued, found.webhook, ended);
    return goesOn && mayContinue ? claimNext(tx, receiverId, policy.leaseMs) : undefined;
  });
}

interface Found {
  webhook: WaitingWebhook;
  receiver: Receiver;
  body: string;
}

/** Undefined when there is nothing to send. */
async function read(
  deps: SendInOrderDeps,
  { group_id: integrationId, receiver_id: receiverId, webhook_id: webhookId }: QueuedWebhook,
): Promise<Found | undefined> {
  return deps.db.withScope({ integrationId }, async (tx) => {
    const webhook = await findWaiting(tx, integrationId, webhookId);
    const body = webhook && bodyOf(deps.sealer, webhook);
    if (webhook === undefined || body === undefined || body === null) return undefined;
    const receiver = await findReceiver(deps, tx, integrationId, webhook, deps.clock());
    if (receiver !== undefined) return { webhook, receiver, body };
    await failWaiting(tx, integrationId, receiverId, 'The receiver was removed or disabled.');
    return undefined;
  });
}

async function attempt(
  { sealer, guardedFetch, clock }: SendInOrderDeps,
  { webhook, receiver, body }: Found,
  signal: AbortSignal,
): Promise<EndedAttempt> {
  const { integration_id: integrationId, webhook_id: webhookId, sealed_body: kept } = webhook;
  const startedAt = performance.now();
  const now = clock();
  const result = await postWebhook(guardedFetch, receiver, { webhookId, body, now }, signal);
  const { statusCode, problem } = result;
  const durationMs = Math.round(performance.now() - startedAt);
  return {
    attempt: { at: new Date(now), durationMs, statusCode, problem },
    result,
    sealedBody: kept === null ? sealBody(sealer, integrationId, webhookId, body) : null,
  };
}
