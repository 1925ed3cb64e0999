import type { Tx } from '#platform/database/database.ts';
import type { QueuedEvent } from '#contract/integrations.ts';
import type { Role } from '#contract/roles.ts';

export async function insertIntegration(
  tx: Tx,
  row: { integrationId: string; label: string; sealedSecret: Buffer },
): Promise<void> {
  await tx.query('insert into integrations (integration_id, label, webhook_secret) values ($1, $2, $3)', [
    row.integrationId,
    row.label,
    row.sealedSecret,
  ]);
}

export interface IntegrationRow {
  integration_id: string;
  label: string;
  role: Role;
  webhook_events: QueuedEvent[];
  last_secret_used: 'current' | 'previous' | null;
  previous_secret_valid_until: Date | null;
  created_at: Date;
  at_micros: string;
}

/**
 * In the order they were made, those after the position, each with the role of `userId`; needs all of them in scope.
 */
export async function listIntegrations(
  tx: Tx,
  integrationIds: readonly string[],
  userId: string,
  { after, limit }: { after?: { atMicros: string; entryId: string }; limit?: number } = {},
): Promise<IntegrationRow[]> {
  const { rows } = await tx.query<IntegrationRow>(
    `select i.integration_id, i.label, m.role, i.webhook_events, i.last_secret_used, i.created_at,
            case when i.previous_secret_valid_until > now() then i.previous_secret_valid_until end
              as previous_secret_valid_until,
            (extract(epoch from i.created_at) * 1000000)::bigint as at_micros
     from integrations i join memberships m on m.integration_id = i.integration_id and m.user_id = $2
     where i.integration_id = any ($1)
       and ($3::bigint is null
         or (i.created_at, i.integration_id) > ('epoch'::timestamptz + $3 * interval '1 microsecond', $4::uuid))
     order by i.created_at, i.integration_id limit $5`,
    [integrationIds, userId, after?.atMicros ?? null, after?.entryId ?? null, limit ?? null],
  );
  return rows;
}

export interface WebhookSecretRow {
  webhook_secret: Buffer;
  previous_webhook_secret: Buffer | null;
  previous_secret_valid_until: Date | null;
  last_secret_used: 'current' | 'previous' | null;
  webhook_events: QueuedEvent[];
}

export async function findWebhookSecret(
  tx: Tx,
  integrationId: string,
): Promise<WebhookSecretRow | undefined> {
  const { rows } = await tx.query<WebhookSecretRow>({
    name: 'find-webhook-secret',
    text: `select webhook_secret, previous_webhook_secret, previous_secret_valid_until, last_secret_used, webhook_events
           from integrations where integration_id = $1`,
    values: [integrationId],
  });
  return rows[0];
}

/** Moves the current secret to the previous one; a `validUntil` in the past ends it at once. */
export async function replaceWebhookSecret(
  tx: Tx,
  integrationId: string,
  sealedSecret: Buffer,
  validUntil: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update integrations
     set previous_webhook_secret = case when $3 > now() then webhook_secret end,
         previous_secret_valid_until = case when $3 > now() then $3 end,
         webhook_secret = $2
     where integration_id = $1`,
    [integrationId, sealedSecret, validUntil],
  );
  return rowCount === 1;
}

export async function updateLastSecretUsed(
  tx: Tx,
  integrationId: string,
  used: 'current' | 'previous',
): Promise<void> {
  await tx.query('update integrations set last_secret_used = $2 where integration_id = $1', [
    integrationId,
    used,
  ]);
}
