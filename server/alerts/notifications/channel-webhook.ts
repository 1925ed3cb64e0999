import { createHmac, randomBytes } from 'node:crypto';
import type { Message } from './notification-content.ts';

/** Signed webhooks as standardwebhooks.com describes them: receivers verify with any of its libraries. */

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

export function webhookBody(message: Message, nowMs: number): string {
  return JSON.stringify({
    type: types[message.kind],
    timestamp: new Date(nowMs).toISOString(),
    data: {
      integrationId: message.integrationId,
      rule: message.ruleName,
      title: message.title,
      url: message.link,
      failure: message.failure,
      incident: message.incident,
    },
  });
}

/** The three headers; the signature covers id, time and body, so that none can be replaced or sent again later. */
export function signedHeaders(
  secret: string,
  messageId: string,
  nowMs: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
