import type { Tx } from '#platform/database/database.ts';
import type { ForgeTask } from './task-store.ts';
import type { ForgeRepository } from '#server/forges/port.ts';

const ofInstallation = 'integration_id = $1 and installation_id = $2';
const keyOf = ({ integrationId, installationId }: ForgeTask) => [integrationId, installationId];

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
  await tx.query(
    `delete from linked_repositories where ${ofInstallation} and repository <> all ($3::text[])`,
    [...keyOf(task), names],
  );
}

export interface WebhookRow {
  repository: string;
  webhook_id: string | null;
}

/** Webhooks that are outdated, or were not checked for about a day. */
export async function listWebhooksToSave(
  tx: Tx,
  task: ForgeTask,
  digest: Buffer,
  most: number,
): Promise<WebhookRow[]> {
  const { rows } = await tx.query<WebhookRow>(
    `select repository, webhook_id::text from linked_repositories
     where ${ofInstallation} and (webhook_applied is distinct from $3 or webhook_tried_at < now() - interval '20 hours')
     order by repository limit $4`,
    [...keyOf(task), digest, most],
  );
  return rows;
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
       webhook_tried_at = now() where ${ofInstallation} and repository = $3`,
    [...keyOf(task), repository, saved.webhookId ?? null, saved.digest, saved.error],
  );
}

/** Existing webhooks, least recently tried first. */
export async function listWebhooks(tx: Tx, task: ForgeTask, most: number): Promise<WebhookRow[]> {
  const { rows } = await tx.query<WebhookRow>(
    `select repository, webhook_id::text from linked_repositories where ${ofInstallation} and webhook_id is not null
     order by webhook_tried_at, repository limit $3`,
    [...keyOf(task), most],
  );
  return rows;
}

/** Records that the forge refused to remove the webhook. */
export async function markRemovalRefused(tx: Tx, task: ForgeTask, repository: string): Promise<void> {
  await tx.query(
    `update linked_repositories set webhook_tried_at = now() where ${ofInstallation} and repository = $3`,
    [...keyOf(task), repository],
  );
}

export async function deleteRepository(tx: Tx, task: ForgeTask, repository: string): Promise<void> {
  await tx.query(`delete from linked_repositories where ${ofInstallation} and repository = $3`, [
    ...keyOf(task),
    repository,
  ]);
}

export async function deleteRepositories(tx: Tx, task: ForgeTask): Promise<void> {
  await tx.query(`delete from linked_repositories where ${ofInstallation}`, keyOf(task));
}
