import type { Tx } from '#platform/database/database.ts';
import type { Duty } from './task-store.ts';
import type { ForgeRepository } from './repository-api.ts';

const ofDuty = 'integration_id = $1 and installation_id = $2';
const keyOf = ({ integrationId, installationId }: Duty) => [integrationId, installationId];

/** Brings the list of an installation's repositories up to date; what is known of those that stay is kept. */
export async function keepRepositories(
  tx: Tx,
  duty: Duty,
  repositories: readonly ForgeRepository[],
): Promise<void> {
  const names = repositories.map(({ name }) => name);
  await tx.query(
    `insert into linked_repositories (integration_id, installation_id, repository, default_branch)
     select $1, $2, name, branch from unnest($3::text[], $4::text[]) as found (name, branch)
     on conflict (integration_id, installation_id, repository) do update set default_branch = excluded.default_branch`,
    [...keyOf(duty), names, repositories.map(({ defaultBranch }) => defaultBranch)],
  );
  await tx.query(`delete from linked_repositories where ${ofDuty} and repository <> all ($3::text[])`, [
    ...keyOf(duty),
    names,
  ]);
}

export interface HookRow {
  repository: string;
  hook_id: string | null;
}

/** Hooks that are not as they should be, and those nobody has looked at for a day. */
export async function listHooksToSave(tx: Tx, duty: Duty, digest: Buffer, most: number): Promise<HookRow[]> {
  const { rows } = await tx.query<HookRow>(
    `select repository, hook_id::text from linked_repositories
     where ${ofDuty} and (hook_applied is distinct from $3 or hook_tried_at < now() - interval '20 hours')
     order by repository limit $4`,
    [...keyOf(duty), digest, most],
  );
  return rows;
}

/** `error` says why the forge refused; what was refused is not tried again before tomorrow, or a change. */
export async function markHook(
  tx: Tx,
  duty: Duty,
  repository: string,
  saved: { hookId: number | undefined; digest: Buffer; error: string | null },
): Promise<void> {
  await tx.query(
    `update linked_repositories set hook_id = coalesce($4, hook_id), hook_applied = $5, hook_error = $6,
       hook_tried_at = now() where ${ofDuty} and repository = $3`,
    [...keyOf(duty), repository, saved.hookId ?? null, saved.digest, saved.error],
  );
}

/** Hooks at the forge, those nobody has tried to change for longest first. */
export async function listHooks(tx: Tx, duty: Duty, most: number): Promise<HookRow[]> {
  const { rows } = await tx.query<HookRow>(
    `select repository, hook_id::text from linked_repositories where ${ofDuty} and hook_id is not null
     order by hook_tried_at, repository limit $3`,
    [...keyOf(duty), most],
  );
  return rows;
}

/** The hook cannot be taken away now. */
export async function markRefused(tx: Tx, duty: Duty, repository: string): Promise<void> {
  await tx.query(`update linked_repositories set hook_tried_at = now() where ${ofDuty} and repository = $3`, [
    ...keyOf(duty),
    repository,
  ]);
}

export async function forgetRepository(tx: Tx, duty: Duty, repository: string): Promise<void> {
  await tx.query(`delete from linked_repositories where ${ofDuty} and repository = $3`, [
    ...keyOf(duty),
    repository,
  ]);
}

export async function forgetRepositories(tx: Tx, duty: Duty): Promise<void> {
  await tx.query(`delete from linked_repositories where ${ofDuty}`, keyOf(duty));
}
