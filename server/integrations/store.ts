import type { PagePosition } from '#platform/http/page-cursor.ts';
import type { Tx } from '#platform/database/database.ts';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import type { Role } from '#contract/members/roles.ts';

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

/** In the scope of the person. */
export async function findForgeLogin(tx: Tx, userId: string): Promise<string | null> {
  const forge_login = await tx.value<string | null>('select forge_login from users where user_id = $1', [
    userId,
  ]);
  return forge_login ?? null;
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
export function listIntegrations(
  tx: Tx,
  integrationIds: readonly string[],
  userId: string,
  { after, limit }: { after?: PagePosition; limit?: number } = {},
): Promise<IntegrationRow[]> {
  return tx.rows<IntegrationRow>(
    `select i.integration_id, i.label, m.role, i.webhook_events, i.last_secret_used, i.created_at,
            case when i.previous_secret_valid_until > now() then i.previous_secret_valid_until end
              as previous_secret_valid_until,
            (extract(epoch from i.created_at) * 1000000)::bigint as at_micros
     from integrations i join actors m on m.integration_id = i.integration_id and m.actor_id = $2
     where i.integration_id = any ($1)
       and ($3::bigint is null
         or (i.created_at, i.integration_id) > ('epoch'::timestamptz + $3 * interval '1 microsecond', $4::uuid))
     order by i.created_at, i.integration_id limit $5`,
    [integrationIds, userId, after?.at ?? null, after?.id ?? null, limit ?? null],
  );
}

export interface WebhookSecretRow {
  webhook_secret: Buffer;
  previous_webhook_secret: Buffer | null;
  previous_secret_valid_until: Date | null;
  last_secret_used: 'current' | 'previous' | null;
  webhook_events: QueuedEvent[];
  sample_generation: number | null;
}

export function findWebhookSecret(tx: Tx, integrationId: string): Promise<WebhookSecretRow | undefined> {
  return tx.row<WebhookSecretRow>({
    name: 'find-webhook-secret',
    text: `select webhook_secret, previous_webhook_secret, previous_secret_valid_until, last_secret_used, webhook_events,
             (select s.generation from sample_data s where s.group_id = $1 and not s.is_removing) as sample_generation
           from integrations where integration_id = $1`,
    values: [integrationId],
  });
}

/** Replaces the secret. The old one stays valid until `validUntil`; null revokes it at once. */
export async function replaceWebhookSecret(
  tx: Tx,
  integrationId: string,
  sealedSecret: Buffer,
  validUntil: Date | null,
): Promise<void> {
  await tx.query(
    `update integrations
     set previous_webhook_secret = case when $3::timestamptz is not null then webhook_secret end,
         previous_secret_valid_until = $3,
         last_secret_used = case when last_secret_used is not null and $3 is not null then 'previous' end,
         webhook_secret = $2
     where integration_id = $1`,
    [integrationId, sealedSecret, validUntil],
  );
}

export function deleteEndedSecret(tx: Tx, integrationId: string): Promise<number> {
  return tx.execute(
    `update integrations set previous_webhook_secret = null, previous_secret_valid_until = null
     where integration_id = $1 and previous_secret_valid_until <= now()`,
    [integrationId],
  );
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

/** Returns the former label; undefined when the integration does not exist. */
export function updateLabel(tx: Tx, integrationId: string, label: string): Promise<string | undefined> {
  return tx.value<string>(
    `with former as (select label from integrations where integration_id = $1 for update)
     update integrations i set label = $2 from former where i.integration_id = $1 returning former.label as former`,
    [integrationId, label],
  );
}

/** Returns the former events; undefined when the integration does not exist. */
export function updateWebhookEvents(
  tx: Tx,
  integrationId: string,
  events: readonly QueuedEvent[],
): Promise<QueuedEvent[] | undefined> {
  return tx.value<QueuedEvent[]>(
    `with former as (select webhook_events from integrations where integration_id = $1 for update)
     update integrations i set webhook_events = $2 from former where i.integration_id = $1
     returning former.webhook_events as former`,
    [integrationId, events],
  );
}

/**
 * Waits for the running batch and the running evaluation of rules, and blocks others until the transaction ends. Both lock
 * rows that are deleted with the integration, so call it before the integration is locked, to prevent a deadlock.
 */
export async function lockWriters(tx: Tx, integrationId: string): Promise<void> {
  // The lock of `lockEvaluation` in server/alerts/evaluation/completion-store.ts.
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('alerts ' || $1, 0))`, [integrationId]);
  await tx.query('select from realtime_stream where integration_id = $1 for update', [integrationId]);
}

/** Also deletes memberships, invitations and streams. */
export async function deleteIntegrationRow(tx: Tx, integrationId: string): Promise<void> {
  await tx.query('delete from integrations where integration_id = $1', [integrationId]);
}

/** Deleted integrations that may still have rows to purge. */
export function listDeletedIntegrations(tx: Tx): Promise<string[]> {
  return tx.column<string>('select group_id from deleted_integrations order by deleted_at');
}

/** Deletes up to `most` rows of each table of the deleted integration in scope. Returns 0 when none are left. */
export async function purgeRows(tx: Tx, most: number): Promise<number> {
  const { rows } = await tx.query<{ gone: string }>('select purge_deleted_integration($1) as gone', [most]);
  return Number(rows[0]?.gone ?? 0);
}
