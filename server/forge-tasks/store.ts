import type { Tx } from '#platform/database/database.ts';
import type { ForgeTaskKind } from './task-kind.ts';

/** Inserts tasks that are due now. A task that exists starts over. */
export async function upsertDueTasks(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
  kinds: readonly ForgeTaskKind[],
): Promise<void> {
  await tx.query(
    `insert into forge_tasks (integration_id, installation_id, kind, due_at)
     select $1, $2, kind, now() from unnest($3::text[]) as kind
     on conflict (integration_id, installation_id, kind) do update set due_at = now(), failures = 0, error = null`,
    [integrationId, installationId, kinds],
  );
}

/** Inserts tasks that are due now, or makes those due that are not scheduled. */
export async function upsertIdleTasks(
  tx: Tx,
  integrationId: string,
  installationIds: readonly (string | null)[],
  kind: ForgeTaskKind,
): Promise<void> {
  await tx.query(
    `insert into forge_tasks as t (integration_id, installation_id, kind, due_at)
     select $1, id, $3, now() from unnest($2::bigint[]) as id
     on conflict (integration_id, installation_id, kind) do update set due_at = now() where t.due_at is null`,
    [integrationId, installationIds, kind],
  );
}

/** The tasks of an integration, of an installation, or of both. Null means the access token of the integration. */
export interface TaskSelection {
  integrationId?: string;
  installationId?: string | null;
  kinds: readonly ForgeTaskKind[];
}

const selected = `kind = any ($3) and ($1::uuid is null or integration_id = $1)
  and ($4 or installation_id is not distinct from $2::bigint)`;
const valuesOf = ({ integrationId, installationId, kinds }: TaskSelection) => [
  integrationId ?? null,
  installationId ?? null,
  kinds,
  installationId === undefined,
];

export async function makeTasksDue(tx: Tx, selection: TaskSelection): Promise<void> {
  await tx.query(
    `update forge_tasks set due_at = now(), failures = 0 where ${selected}`,
    valuesOf(selection),
  );
}

export async function deleteTasks(tx: Tx, selection: TaskSelection): Promise<void> {
  await tx.query(`delete from forge_tasks where ${selected}`, valuesOf(selection));
}

/** Needs the installation in scope. */
export function selectIntegrationsWithTasks(tx: Tx, installationId: string): Promise<string[]> {
  return tx.column<string>('select distinct integration_id from forge_tasks where installation_id = $1', [
    installationId,
  ]);
}

/** The tasks of a connection, and the totals of its repositories. */
export interface TaskStateRow {
  installationId: string | null;
  /** Whether all webhooks are up to date, except those that the forge refused. */
  webhooksRest: boolean | null;
  webhooksError: string | null;
  webhooksRefused: string | null;
  repositories: number;
  provisioned: number;
  since: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  historyError: string | null;
  historyRefused: string | null;
  /** Repositories that are not fully read yet. */
  historyOpen: number;
  historyRuns: number;
}

export function listTaskStates(tx: Tx, integrationId: string): Promise<TaskStateRow[]> {
  return tx.rows<TaskStateRow>(
    `select c.installation_id::text as "installationId", w.due_at > now() and w.leased_until is null as "webhooksRest",
       w.error as "webhooksError", h.since, h.started_at as "startedAt", h.finished_at as "finishedAt",
       h.error as "historyError", r.*
     from (select distinct installation_id from forge_tasks where integration_id = $1) c
       left join forge_tasks w on w.integration_id = $1 and w.installation_id is not distinct from c.installation_id
         and w.kind = 'webhooks'
       left join forge_tasks h on h.integration_id = $1 and h.installation_id is not distinct from c.installation_id
         and h.kind = 'history'
       cross join lateral (
         select count(*)::int as repositories,
           count(*) filter (where webhook_applied is not null and webhook_error is null)::int as provisioned,
           min(webhook_error) as "webhooksRefused", min(history_error) as "historyRefused",
           count(history_next_page) filter (where history_error is null)::int as "historyOpen",
           coalesce(sum(history_runs), 0)::int as "historyRuns"
         from linked_repositories o
         where o.integration_id = $1 and o.installation_id is not distinct from c.installation_id and o.is_chosen) r`,
    [integrationId],
  );
}
