import { jobPayload, runPayload, repositoryOf } from '#test/support/data/forge-events.ts';
import { recordPayload } from '#test/support/data/record-payload.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

export interface RunFields {
  status?: string;
  conclusion: string | null;
  repository?: string;
  branch?: string;
  completedAt?: Date;
}

const onMain = (repository: string) => ({
  repository: repositoryOf(repository),
});

/** Stores a run of the workflow "CI"; on the default branch and completed by default. */
export function storeRun(
  database: TestDatabase,
  integrationId: string,
  runId: number,
  {
    status = 'completed',
    conclusion,
    repository = 'acme/site',
    branch = 'main',
    completedAt = new Date(),
  }: RunFields,
): Promise<void> {
  const at = completedAt.toISOString();
  const run = {
    id: runId,
    name: 'CI',
    head_branch: branch,
    status,
    conclusion,
    created_at: at,
    updated_at: at,
  };
  return recordPayload(database, integrationId, 'workflow_run', runPayload(run, onMain(repository)));
}

/** Stores a completed job of such a run. */
export function storeJob(
  database: TestDatabase,
  integrationId: string,
  job: { id: number; run_id: number; name: string; conclusion: string; labels?: string[] },
): Promise<void> {
  const ci = {
    status: 'completed',
    completed_at: new Date().toISOString(),
    workflow_name: 'CI',
    head_branch: 'main',
  };
  return recordPayload(
    database,
    integrationId,
    'workflow_job',
    jobPayload({ ...ci, ...job }, onMain('acme/site')),
  );
}
