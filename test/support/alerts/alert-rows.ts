import type { TestDatabase } from '#test/support/database/test-database.ts';

interface RunFields {
  status?: string;
  conclusion: string | null;
  repository?: string;
  completedAt?: Date;
}

/** Inserts a run of the workflow "CI" on the default branch as the worker does; completed by default. */
export async function insertRun(
  database: TestDatabase,
  integrationId: string,
  runId: number,
  { status = 'completed', conclusion, repository = 'acme/site', completedAt = new Date() }: RunFields,
): Promise<void> {
  await database.asOwner(
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, conclusion, completed_at,
       on_default_branch, workflow_name, head_branch, created_at, pull_requests)
     values ($1, $2, 1, '', $3, $4, $5, $6, true, 'CI', 'main', now(), '{}')`,
    [integrationId, runId, repository, status, conclusion, completedAt],
  );
}
