import type { WorkflowRun } from '#contract/runs/runs.ts';
import { listRuns } from '#server/runs/list/list-runs.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** The runs that the API lists of an integration, newest first. */
export async function storedRuns(
  { api }: Pick<TestDatabase, 'api'>,
  integrationId: string,
): Promise<WorkflowRun[]> {
  const { items } = await api.withScope({ integrationId }, (tx) =>
    listRuns(tx, integrationId, { limit: 100 }),
  );
  return items;
}
