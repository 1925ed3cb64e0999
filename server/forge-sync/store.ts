import type { Tx } from '#platform/database/database.ts';
import type { ForgeTask } from './task-store.ts';
import type { ForgeRepository } from '#server/forges/port.ts';

export const ofConnection = 'integration_id = $1 and installation_id is not distinct from $2';
export const keyOf = ({ integrationId, installationId }: ForgeTask) => [integrationId, installationId];

/** Replaces the list of an installation's repositories, keeping the state of those that remain. */
export async function upsertRepositories(
  tx: Tx,
  task: ForgeTask,
  repositories: readonly ForgeRepository[],
): Promise<void> {
  const names = repositories.map(({ name }) => name);
  await tx.query(
    `insert into linked_repositories (integration_id, installation_id, repository, default_branch)
     select $1, $2, name, branch from unnest($3::text[], $4::text[]) as found (name, branch)
     on conflict (integration_id, installation_id, repository) do update set default_branch = excluded.default_branch`,
    [...keyOf(task), names, repositories.map(({ defaultBranch }) => defaultBranch)],
  );
  await tx.query(`delete from linked_repositories where ${ofConnection} and repository <> all ($3::text[])`, [
    ...keyOf(task),
    names,
  ]);
}

export interface WebhookRow {
  repository: string;
  webhook_id: string | null;
}

/** Webhooks that are outdated, or were not checked for about a day. */
export function listWebhooksToSave(
  tx: Tx,
  task: ForgeTask,
  digest: Buffer,
  most: number,
): Promise<WebhookRow[]> {
  return tx.rows<WebhookRow>(
    `select repository, webhook_id::text from linked_repositories
     where ${ofConnection} and (webhook_applied is distinct from $3 or webhook_tried_at < now() - interval '20 hours') and is_chosen
     order by repository limit $4`,
    [...keyOf(task), digest, most],
  );
}

/** `error` is the forge's refusal. A refused webhook is retried the next day or after a change. */
export async function markWebhook(
  tx: Tx,
  task: ForgeTask,
  repository: string,
  saved: { webhookId: number | undefined; digest: Buffer; error: string | null },
): Promise<void> {
  await tx.query(
    `update linked_repositories set webhook_id = coalesce($4, webhook_id), webhook_applied = $5, webhook_error = $6,
       webhook_tried_at = now() where ${ofConnection} and repository = $3`,
    [...keyOf(task), repository, saved.webhookId ?? null, saved.digest, saved.error],
  );
}

/** Existing webhooks, least recently tried first. */
export function listWebhooks(tx: Tx, task: ForgeTask, most: number): Promise<WebhookRow[]> {
  return tx.rows<WebhookRow>(
    `select repository, webhook_id::text from linked_repositories where ${ofConnection} and webhook_id is not null
     order by webhook_tried_at, repository limit $3`,
    [...keyOf(task), most],
  );
}

/** Repositories that somebody no longer chooses. */
export function listUnchosen(tx: Tx, task: ForgeTask, most: number): Promise<WebhookRow[]> {
  return tx.rows<WebhookRow>(
    `select repository, webhook_id::text from linked_repositories where ${ofConnection} and not is_chosen
     order by webhook_tried_at, repository limit $3`,
    [...keyOf(task), most],
  );
}

/** Records that the forge refused to remove the webhook. */
export async function markRemovalRefused(tx: Tx, task: ForgeTask, repository: string): Promise<void> {
  await tx.query(
    `update linked_repositories set webhook_tried_at = now() where ${ofConnection} and repository = $3`,
    [...keyOf(task), repository],
  );
}

/** Unless somebody has chosen it again. */
export async function deleteUnchosen(tx: Tx, task: ForgeTask, repository: string): Promise<void> {
  await tx.query(
    `delete from linked_repositories where ${ofConnection} and repository = $3 and not is_chosen`,
    [...keyOf(task), repository],
  );
}

export async function deleteRepository(tx: Tx, task: ForgeTask, repository: string): Promise<void> {
  await tx.query(`delete from linked_repositories where ${ofConnection} and repository = $3`, [
    ...keyOf(task),
    repository,
  ]);
}

export async function deleteRepositories(tx: Tx, task: ForgeTask): Promise<void> {
  await tx.query(`delete from linked_repositories where ${ofConnection}`, keyOf(task));
}

/** The token is deleted with its webhooks, unless somebody saved it again. */
export async function deleteEndedToken(tx: Tx, integrationId: string): Promise<void> {
  await tx.query('delete from forge_budgets where connection = $1', [`token:${integrationId}`]);
  await tx.query(
    `delete from forge_connections c where integration_id = $1
       and (is_removed or not exists (select from integrations i where i.integration_id = c.integration_id))`,
    [integrationId],
  );
}

/** Returns the expiry once, when it is near. */
export function takeNearExpiry(
  tx: Tx,
  integrationId: string,
  days: number,
): Promise<{ expires_at: Date; account_login: string } | undefined> {
  return tx.row<{ expires_at: Date; account_login: string }>(
    `update forge_connections set warned_expires_at = expires_at
     where integration_id = $1 and not is_removed and expires_at < now() + make_interval(days => $2)
       and warned_expires_at is distinct from expires_at
     returning expires_at, account_login`,
    [integrationId, days],
  );
}
