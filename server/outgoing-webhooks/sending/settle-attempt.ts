import type { Tx } from '#platform/database/database.ts';
import type { WebhookPolicy } from '../policy.ts';
import type { TurnEnd } from '#server/tasks/task.ts';
import { disable } from '../subscriptions/disable.ts';
import { logSubscription } from '../subscriptions/entries.ts';
import {
  lockSubscription,
  saveFailure,
  saveSuccess,
  type SubscriptionRow,
} from '../subscriptions/subscription-store.ts';
import { markNotificationSent, recordAttempt, type Attempt, type WaitingWebhook } from './attempt-store.ts';
import { planNext, type AttemptResult, type NextStep } from './plan-next.ts';

/** An attempt that ended, and the body that was sent if it is not kept yet. */
export interface EndedAttempt {
  attempt: Attempt;
  result: AttemptResult;
  sealedBody: Buffer | null;
}

const statusAfter = { retry: 'waiting', done: 'sent', refused: 'failed', gone: 'failed' } as const;

/** Stores the attempt and what follows from it. Undefined when the receiver may get the next webhook. */
export async function settleAttempt(
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
