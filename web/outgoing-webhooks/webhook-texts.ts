import {
  mostWaitingWebhooks,
  type WebhookSubscription,
} from '#contract/integrations/webhook-subscriptions.ts';
import type { EventWebhookType } from '#contract/integrations/webhook-types.ts';
import { formatNumber } from '../ui/locale.ts';

export const eventTexts: Record<EventWebhookType, { label: string; hint: string }> = {
  'run.completed': { label: 'Run completed', hint: 'Once for each attempt, whatever the result.' },
  'failure_group.opened': {
    label: 'New failure',
    hint: 'A job failed with a cause that no stored failure of the repository has.',
  },
  'test.broken': {
    label: 'Test broke',
    hint: 'A test that is in no quarantine fails on the default branch.',
  },
  'test.flaky': {
    label: 'Test became flaky',
    hint: 'A test that is in no quarantine failed and passed on one commit.',
  },
  'member.added': { label: 'Member added', hint: 'Somebody joined the integration.' },
  'member.removed': { label: 'Member removed', hint: 'Somebody left or was removed.' },
  'member.role_changed': { label: 'Role changed', hint: 'A member has another role.' },
};

const otherTypes: Record<string, string> = {
  test: 'Test',
  'incident.opened': 'Incident opened',
  'incident.failed_again': 'Failed again',
  'incident.closed': 'Incident closed',
  'digest.created': 'Weekly digest',
};

/** The type of a webhook in words; the type itself when it has none. */
export function typeText(type: string): string {
  if (Object.hasOwn(eventTexts, type)) return eventTexts[type as EventWebhookType].label;
  return Object.hasOwn(otherTypes, type) ? (otherTypes[type] ?? type) : type;
}

/** `stopped`: the service disabled it. `disabled`: a person did. */
export type SubscriptionState = 'working' | 'unused' | 'failing' | 'stopped' | 'disabled';

export function stateOf({
  enabled,
  disabledReason,
  failingSince,
  lastSuccessAt,
}: Pick<
  WebhookSubscription,
  'enabled' | 'disabledReason' | 'failingSince' | 'lastSuccessAt'
>): SubscriptionState {
  if (!enabled) return disabledReason === null ? 'disabled' : 'stopped';
  if (failingSince !== null) return 'failing';
  return lastSuccessAt === null ? 'unused' : 'working';
}

/** Why the service disabled a subscription, and what to do. */
export const stoppedTexts: Record<NonNullable<WebhookSubscription['disabledReason']>, string> = {
  failing: 'Every attempt failed for three days. Repair the receiver, then enable it and replay what failed.',
  gone: 'The receiver answered 410: it wants no more webhooks. Change the URL or delete the subscription.',
  full: `${formatNumber(mostWaitingWebhooks)} webhooks were waiting. Repair the receiver, then enable it and replay what failed.`,
};

/** `3 waiting`, `1 failed`; undefined when there is nothing to say. */
export function countText(count: number, word: string, most: number): string | undefined {
  if (count === 0) return undefined;
  return `${formatNumber(count)}${count >= most ? ' or more' : ''} ${word}`;
}

/** What the receiver answered last. */
export function answerText({
  attempts,
  statusCode,
}: {
  attempts: number;
  statusCode: number | null;
}): string {
  if (statusCode !== null) return String(statusCode);
  return attempts === 0 ? '–' : 'No answer';
}
