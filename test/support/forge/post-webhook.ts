import { createHmac, randomUUID } from 'node:crypto';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';

export interface Webhook {
  event: string;
  payload: object | string | Buffer;
  deliveryId?: string;
  /** Replaces or, with undefined, removes headers. */
  headers?: Record<string, string | undefined>;
}

/** Posts a webhook as a forge does, signed with the integration's secret. */
export async function postWebhook(
  baseUrl: string,
  { integrationId, webhookSecret }: CreatedIntegration,
  { event, payload, deliveryId = randomUUID(), headers = {} }: Webhook,
): Promise<Response> {
  const body = Buffer.isBuffer(payload)
    ? payload
    : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const all: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'x-github-event': event,
    'x-github-delivery': deliveryId,
    'x-hub-signature-256': signature(webhookSecret, body),
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return fetch(`${baseUrl}/api/import/${integrationId}`, {
    method: 'POST',
    headers: sent,
    body: new Uint8Array(body),
  });
}

/** Posts what the forge tells its application, signed with the application's secret. */
export async function postAppWebhook(
  baseUrl: string,
  secret: string,
  { event, payload, isForm = false }: { event: string; payload: object; isForm?: boolean },
): Promise<Response> {
  const json = JSON.stringify(payload);
  const body = isForm ? String(new URLSearchParams({ payload: json })) : json;
  return fetch(`${baseUrl}/api/forge/webhook`, {
    method: 'POST',
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': signature(secret, body),
    },
    body,
  });
}

export function signature(secret: string, body: Buffer | string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
