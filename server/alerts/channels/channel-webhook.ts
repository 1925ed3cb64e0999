import { createHmac, randomBytes } from 'node:crypto';
import type { NotificationContent } from '../notifications/notification-content.ts';

/** Signed webhooks after standardwebhooks.com, so receivers can verify them with any of its libraries. */

const prefix = 'whsec_';
const types = {
  opened: 'incident.opened',
  repeated: 'incident.failed_again',
  recovered: 'incident.closed',
  test: 'test',
} as const;

export function makeSigningSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

export function webhookBody(content: NotificationContent, nowMs: number): string {
  return JSON.stringify({
    type: types[content.kind],
    timestamp: new Date(nowMs).toISOString(),
    data: {
      integrationId: content.integrationId,
      rule: content.ruleName,
      title: content.title,
      url: content.link,
      failure: content.failure,
      reason: content.reason,
      incident: content.incident,
    },
  });
}

/** The signature covers id, time and body, so a receiver detects changes and late replays. */
export function signedHeaders(
  secret: string,
  notificationId: string,
  nowMs: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key)
    .update(`${notificationId}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'webhook-id': notificationId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
