import type { Sealer } from '#platform/runtime/secrets/sealing.ts';

/** Larger bodies are sent but not kept. */
const mostSealedBytes = 262_144;

export interface StoredBody {
  integration_id: string;
  webhook_id: string;
  event_type: string;
  facts: object | null;
  sealed_body: Buffer | null;
  created_at: Date;
}

/** The body as it is sent; null when it was too large to be kept. */
export function bodyOf(sealer: Sealer, stored: StoredBody): string | null {
  const { integration_id: integrationId, webhook_id: webhookId, sealed_body: sealed, facts } = stored;
  if (sealed !== null) return sealer.open(sealed, bodyContext(integrationId, webhookId)).toString();
  if (facts === null) return null;
  return JSON.stringify({ type: stored.event_type, timestamp: stored.created_at.toISOString(), data: facts });
}

export function sealBody(
  sealer: Sealer,
  integrationId: string,
  webhookId: string,
  body: string,
): Buffer | null {
  const sealed = sealer.seal(Buffer.from(body), bodyContext(integrationId, webhookId));
  return sealed.length > mostSealedBytes ? null : sealed;
}

/** Binds a sealed body to its webhook. */
export function bodyContext(integrationId: string, webhookId: string): string {
  return `outgoing_webhooks/${integrationId}/${webhookId}/body`;
}
