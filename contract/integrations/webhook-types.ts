/** Types that a subscription can choose. */
export const eventWebhookTypes = [
  'run.completed',
  'failure_group.opened',
  'test.broken',
  'test.flaky',
  'member.added',
  'member.removed',
  'member.role_changed',
] as const;
export type EventWebhookType = (typeof eventWebhookTypes)[number];

/** Types that a channel of a notification rule gets. */
export const channelWebhookTypes = [
  'incident.opened',
  'incident.failed_again',
  'incident.closed',
  'digest.created',
] as const;

/** Every type. A `test` is sent when a person asks for it. */
export const webhookTypes = [...eventWebhookTypes, ...channelWebhookTypes, 'test'] as const;
export type WebhookType = (typeof webhookTypes)[number];
