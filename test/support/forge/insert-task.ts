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
    `insert into forge_tasks (integration_id, installation_id, kind, since, due_at) values ($1, $2, $3, now(), 'infinity')`,
    [integrationId, installationId, kind],
  );
}
