import type { Tx } from '#platform/database/database.ts';
import { type GuardedFetch, GuardedFetchError } from '#platform/http/outgoing/guarded-fetch.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import type { Task, TaskKind, Turn, TurnEnd } from '#server/tasks/task.ts';
import { webhookTask } from '#server/webhook-events/webhook-task.ts';
import type { WebhookPolicy } from '../policy.ts';
import { disableOverflowed, disable } from '../subscriptions/disable.ts';
import { bodyOf, sealBody } from '../webhook-body.ts';
import { signedHeaders } from '../signing.ts';
import { logSubscription } from '../subscriptions/entries.ts';
import {
  lockSubscription,
  saveFailure,
  saveSuccess,
  type SubscriptionRow,
} from '../subscriptions/subscription-store.ts';
import {
  findFirstWaiting,
  type WaitingWebhook,
  markNotificationSent,
  recordAttempt,
  type Attempt,
} from './attempt-store.ts';
import { findReceiver, type Receiver, type ReceiverDeps } from './find-receiver.ts';
import { delayAfter, type AttemptResult, planNext, type NextStep } from './plan-next.ts';
import { failWaiting, makeFirstDue } from './queue-store.ts';

export interface SendInOrderDeps extends ReceiverDeps, Pick<SharedDeps, 'db' | 'log' | 'clock'> {
  guardedFetch: Pick<GuardedFetch, 'post'>;
  policy: WebhookPolicy;
}

/**
 * Sends the webhooks that wait: those of one receiver in order, receivers in parallel. At least once: a turn that was ended, or whose
 * process died, sends its webhook a second time with the same id.
 */
export function webhookTasks(deps: SendInOrderDeps): TaskKind {
  const { policy } = deps;
  return {
    name: webhookTask,
    quickPlaces: policy.quickPlaces,
    slowPlaces: policy.slowPlaces,
    perIntegration: policy.perIntegration,
    longestMs: policy.longestTurnMs,
    // The receiver may have a request that is on its way already.
    givesWay: false,
    handle: (task, turn) => sendInOrder(deps, task, turn),
    planRetry: (_error, failures) => ({
      waitMs: delayAfter(failures + 1, policy),
      error: 'The webhook could not be sent. It is tried again.',
    }),
  };
}

/** Ends when an attempt fails, nothing waits, or others need the place. */
async function sendInOrder(
  deps: SendInOrderDeps,
  { integrationId, key: receiverId }: Task,
  turn: Turn,
): Promise<TurnEnd> {
  for (;;) {
    const found = await deps.db.withScope({ integrationId }, (tx) =>
      findNext(deps, tx, integrationId, receiverId),
    );
    if (found === undefined) return 'done';
    const { webhook } = found;
    if (webhook.wait_ms > 0) return { again: webhook.wait_ms, error: webhook.problem };
    const end = await sendOne(deps, found, turn.signal);
    if (end !== undefined) return end;
    if (turn.isLong()) return { again: 0 };
  }
}

interface Found {
  webhook: WaitingWebhook;
  receiver: Receiver;
}

/** Undefined when there is nothing to send. */
async function findNext(
  deps: SendInOrderDeps,
  tx: Tx,
  integrationId: string,
  receiverId: string,
): Promise<Found | undefined> {
  const [waiting, names] = await Promise.all([
    findFirstWaiting(tx, integrationId, receiverId),
    readShownNames(tx, [integrationId]),
  ]);
  if (waiting === undefined) return undefined;
  const webhook = { ...waiting, facts: names.show(integrationId, waiting.facts) };
  const receiver = await findReceiver(deps, tx, integrationId, webhook, deps.clock());
  if (receiver === undefined) {
    await failWaiting(tx, integrationId, receiverId, 'The receiver was removed or disabled.');
    return undefined;
  }
  const { subscription } = receiver;
  const hasOverflowed = subscription !== undefined && subscription.overflowed_at !== null;
  if (hasOverflowed && (await disableOverflowed(tx, integrationId, receiverId))) return undefined;
  return { webhook, receiver };
}

/** Returns how the turn ends after a failed attempt; undefined when the receiver may get the next webhook. */
async function sendOne(
  deps: SendInOrderDeps,
  found: Found,
  signal: AbortSignal,
): Promise<TurnEnd | undefined> {
  const { db, log, policy } = deps;
  const { integration_id: integrationId, webhook_id: webhookId, receiver_id: receiverId } = found.webhook;
  const ended = await attempt(deps, found, signal);
  const { problem, statusCode } = ended.result;
  if (problem !== null) {
    // It was not the receiver that ended the attempt.
    signal.throwIfAborted();
    log.info({ integrationId, receiverId, webhookId, statusCode, problem }, 'webhook delivery failed');
  }
  return db.withScope({ integrationId }, (tx) => settleAttempt(tx, policy, found.webhook, ended));
}

async function attempt(
  { sealer, guardedFetch, clock }: SendInOrderDeps,
  { webhook, receiver }: Found,
  signal: AbortSignal,
): Promise<EndedAttempt> {
  const { integration_id: integrationId, webhook_id: webhookId, sealed_body: kept } = webhook;
  const body = bodyOf(sealer, webhook);
  if (body === null) throw new Error(`webhook ${webhookId} waits without a body`);
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

/** Before a person repeats the task of a receiver: a turn would otherwise wait for the next attempt of its first webhook. */
export function prepareWebhookRetry(tx: Tx, integrationId: string, receiverId: string): Promise<void> {
  return makeFirstDue(tx, integrationId, receiverId);
}

/** Posts a webhook once. Never rejects, and takes no longer than the guard allows. */
async function postWebhook(
  guardedFetch: Pick<GuardedFetch, 'post'>,
  { url, secrets }: Pick<Receiver, 'url' | 'secrets'>,
  { webhookId, body, now }: { webhookId: string; body: string; now: number },
  signal: AbortSignal,
): Promise<AttemptResult & { cause?: unknown }> {
  try {
    const { status, retryAfter } = await guardedFetch.post(url, {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Forgewatch',
        ...signedHeaders(secrets, webhookId, now, body),
      },
      body,
      signal,
    });
    return { statusCode: status, problem: problemOf(status), retryAfter };
  } catch (error) {
    const problem = error instanceof GuardedFetchError ? error.message : 'The webhook could not be sent.';
    return { statusCode: null, problem, retryAfter: undefined, cause: error };
  }
}

function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed: enter the final URL.' : '';
  return `The receiver answered ${status}.${redirect}`;
}

/** An attempt that ended, and the body that was sent if it is not kept yet. */
interface EndedAttempt {
  attempt: Attempt;
  result: AttemptResult;
  sealedBody: Buffer | null;
}

const statusAfter = { retry: 'waiting', done: 'sent', refused: 'failed', gone: 'failed' } as const;

/** Stores the attempt and what follows from it. Undefined when the receiver may get the next webhook. */
async function settleAttempt(
  tx: Tx,
  policy: WebhookPolicy,
  webhook: WaitingWebhook,
  { attempt, result, sealedBody }: EndedAttempt,
): Promise<TurnEnd | undefined> {
  const { integration_id: integrationId, webhook_id: webhookId, receiver_kind: kind } = webhook;
  // First, as in every change by a person: another order could end in a deadlock.
  const subscription =
    kind === 'subscription' ? await lockSubscription(tx, integrationId, webhook.receiver_id) : undefined;
  const next = nextStep(webhook, result, attempt.at.getTime(), policy);
  const waitMs = next.step === 'retry' ? next.waitMs : null;
  const status = statusAfter[next.step];
  await recordAttempt(tx, integrationId, webhookId, attempt, { status, waitMs, sealedBody });
  if (subscription?.enabled === true)
    await updateSubscription(tx, policy, { integrationId, subscription }, attempt, next);
  if (kind === 'channel' && status === 'sent') await markNotificationSent(tx, integrationId, webhookId);
  return waitMs === null ? undefined : { again: waitMs, error: attempt.problem };
}

/** A notification is replayed once: somebody waits for the result, and can replay it again. */
function nextStep(
  { receiver_kind: kind, tries }: WaitingWebhook,
  result: AttemptResult,
  now: number,
  policy: WebhookPolicy,
): NextStep {
  const next = planNext(result, tries + 1, now, policy);
  return kind === 'channel' && next.step !== 'done' ? { step: 'refused' } : next;
}

async function updateSubscription(
  tx: Tx,
  policy: WebhookPolicy,
  { integrationId, subscription }: { integrationId: string; subscription: SubscriptionRow },
  { at, problem }: Attempt,
  { step }: NextStep,
): Promise<void> {
  const { subscription_id: subscriptionId, failures, failing_since: since } = subscription;
  if (step === 'done') {
    await saveSuccess(tx, integrationId, subscriptionId);
    if (failures >= policy.reportAfterFailures)
      await logSubscription(tx, { integrationId }, subscription, 'recovered');
    return;
  }
  await saveFailure(tx, integrationId, subscriptionId, at, problem);
  const isFailingLong = since !== null && at.getTime() - since.getTime() >= policy.disableAfterMs;
  const reason = step === 'gone' ? 'gone' : isFailingLong ? 'failing' : undefined;
  if (reason !== undefined) await disable(tx, integrationId, subscription, reason);
  else if (failures + 1 === policy.reportAfterFailures)
    await logSubscription(tx, { integrationId }, subscription, 'failing', problem);
}
