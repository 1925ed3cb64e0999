import type { Tx } from '#platform/database/database.ts';
import type { ForgeTaskKind } from './task-kind.ts';

/** The tasks of an integration, of a connection in all integrations, or of both. */
export interface TaskSelection {
  integrationId?: string;
  /** The key of the connection. */
  key?: string;
  kinds: readonly ForgeTaskKind[];
}

const selected = `kind = any ($1) and ($2::uuid is null or integration_id = $2) and ($3::text is null or key = $3)`;
const valuesOf = ({ kinds, integrationId, key }: TaskSelection) => [
  kinds,
  integrationId ?? null,
  key ?? null,
];

export async function makeTasksDue(tx: Tx, selection: TaskSelection): Promise<void> {
  await tx.query(
    `update tasks set due_at = now(), requested_at = now(), failures = 0, failing_since = null where ${selected}`,
    valuesOf(selection),
  );
}

export async function deleteTasks(tx: Tx, selection: TaskSelection): Promise<void> {
  await tx.query(`delete from tasks where ${selected}`, valuesOf(selection));
}

/** Needs the installation in scope. */
export function selectIntegrationsWithTasks(tx: Tx, installationId: string): Promise<string[]> {
  return tx.column<string>(
    `select distinct integration_id from tasks where kind like 'forge-%' and key = $1`,
    [installationId],
  );
}

/** The tasks of a connection, and the totals of its repositories. */
export interface TaskStateRow {
  /** The key of the connection. */
  key: string;
  /** Whether all webhooks are up to date, except those that the forge refused. */
  webhooksRest: boolean | null;
  webhooksError: string | null;
  webhooksRefused: string | null;
  repositories: number;
  provisioned: number;
  since: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  historyError: string | null;
  historyRefused: string | null;
  /** Repositories that are not fully read yet. */
  historyOpen: number;
  historyRuns: number;
}

export function listTaskStates(tx: Tx, integrationId: string): Promise<TaskStateRow[]> {
  return tx.rows<TaskStateRow>(
    `select c.key, w.due_at > now() and w.leased_until is null as "webhooksRest",
       w.error as "webhooksError", h.facts ->> 'since' as since, h.facts ->> 'startedAt' as "startedAt",
       h.facts ->> 'finishedAt' as "finishedAt", h.error as "historyError", r.*
     from (select distinct key from tasks where integration_id = $1 and kind like 'forge-%') c
       left join tasks w on w.integration_id = $1 and w.key = c.key and w.kind = 'forge-webhooks'
       left join tasks h on h.integration_id = $1 and h.key = c.key and h.kind = 'forge-history'
       cross join lateral (
         select count(*)::int as repositories,
           count(*) filter (where webhook_applied is not null and webhook_error is null)::int as provisioned,
           min(webhook_error) as "webhooksRefused", min(history_error) as "historyRefused",
           count(history_next_page) filter (where history_error is null)::int as "historyOpen",
           coalesce(sum(history_runs), 0)::int as "historyRuns"
         from linked_repositories o
         where o.integration_id = $1 and coalesce(o.installation_id::text, 'token') = c.key and o.is_chosen) r`,
    [integrationId],
  );
}
