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

export interface HookRow {
  repository: string;
  hook_id: string | null;
}

/** Hooks that are outdated, or were not checked for about a day. */
export async function listHooksToSave(
  tx: Tx,
  task: ForgeTask,
  digest: Buffer,
  most: number,
): Promise<HookRow[]> {
  const { rows } = await tx.query<HookRow>(
    `select repository, hook_id::text from linked_repositories
     where ${ofInstallation} and (hook_applied is distinct from $3 or hook_tried_at < now() - interval '20 hours')
     order by repository limit $4`,
    [...keyOf(task), digest, most],
  );
  return rows;
}

/** `error` is the forge's refusal. A refused hook is retried the next day or after a change. */
export async function markHook(
  tx: Tx,
  task: ForgeTask,
  repository: string,
  saved: { hookId: number | undefined; digest: Buffer; error: string | null },
): Promise<void> {
  await tx.query(
    `update linked_repositories set hook_id = coalesce($4, hook_id), hook_applied = $5, hook_error = $6,
       hook_tried_at = now() where ${ofInstallation} and repository = $3`,
    [...keyOf(task), repository, saved.hookId ?? null, saved.digest, saved.error],
  );
}

/** Existing hooks, least recently tried first. */
export async function listHooks(tx: Tx, task: ForgeTask, most: number): Promise<HookRow[]> {
  const { rows } = await tx.query<HookRow>(
    `select repository, hook_id::text from linked_repositories where ${ofInstallation} and hook_id is not null
     order by hook_tried_at, repository limit $3`,
    [...keyOf(task), most],
  );
  return rows;
}

/** Records that the forge refused to remove the hook. */
export async function markRemovalRefused(tx: Tx, task: ForgeTask, repository: string): Promise<void> {
  await tx.query(
    `update linked_repositories set hook_tried_at = now() where ${ofInstallation} and repository = $3`,
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
