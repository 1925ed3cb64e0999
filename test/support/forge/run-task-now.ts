import type { ForgeTaskKind } from '#server/forge-tasks/task-kind.ts';
import { updateRows } from '#test/support/database/rows.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Makes a task of the forge due that waits for its next time. */
export function runTaskNow(
  database: TestDatabase,
  integrationId: string,
  kind: ForgeTaskKind,
): Promise<void> {
  return updateRows(database, 'tasks', { due_at: new Date() }, { integration_id: integrationId, kind });
}
