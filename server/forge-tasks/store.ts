import type { ForgeTaskKind } from './task-kind.ts';
import type { Tx } from '#platform/database/database.ts';

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
