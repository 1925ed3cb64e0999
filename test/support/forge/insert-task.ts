import type { ForgeTaskKind } from '#server/forge-tasks/task-kind.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** A task of the forge that is never due. */
export async function insertIdleTask(
  { asOwner }: TestDatabase,
  integrationId: string,
  installationId: string | number,
  kind: ForgeTaskKind,
): Promise<void> {
  await asOwner(
    `insert into tasks (integration_id, kind, key, facts, due_at)
     values ($1, $3, $2, jsonb_build_object('since', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), 'infinity')`,
    [integrationId, String(installationId), kind],
  );
}
