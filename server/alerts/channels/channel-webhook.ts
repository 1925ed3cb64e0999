import type { WebhookType } from '#contract/integrations/webhook-types.ts';
import type { NotificationContent } from '../notifications/content/notification-content.ts';

const types = {
  opened: 'incident.opened',
  repeated: 'incident.failed_again',
  recovered: 'incident.closed',
  digest: 'digest.created',
  test: 'test',
} as const satisfies Record<string, WebhookType>;

/** The type of the event, as receivers of signed webhooks see it. */
export function webhookType({ kind }: Pick<NotificationContent, 'kind'>): WebhookType {
  return types[kind];
}

export function webhookBody(content: NotificationContent, nowMs: number): string {
  return JSON.stringify({
    type: webhookType(content),
    timestamp: new Date(nowMs).toISOString(),
    data: {
      integrationId: content.integrationId,
      rule: content.ruleName,
      title: content.title,
      url: content.link,
      ...(content.digest === undefined
        ? {
            failure: content.failure,
            reason: content.reason,
            blame: content.blame,
            incident: content.incident,
          }
        : { digest: content.digest }),
    },
  });
}
