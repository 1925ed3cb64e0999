import { WorkflowRun } from '#contract/runs/runs.ts';

const nulls = Object.fromEntries(Object.keys(WorkflowRun.properties).map((field) => [field, null]));

/** A run for tests. Other fields are null. */
export function someRun(facts: Partial<WorkflowRun> & { runId: number }): WorkflowRun {
  const run: Partial<WorkflowRun> = {
    integrationId: '0198e7a0-0000-7000-8000-000000000001',
    attempt: 1,
    runNumber: facts.runId,
    repository: 'fernhill/web-console',
    workflowId: 1,
    workflowName: 'ci',
    workflowPath: '.github/workflows/ci.yml',
    event: 'push',
    status: 'queued',
    title: 'Round amounts once',
    headBranch: 'main',
    headSha: 'a'.repeat(40),
    actor: 'mira-okafor',
    createdAt: '2026-11-20T12:00:00.000Z',
    pullRequests: [],
    ...facts,
  };
  return { ...nulls, ...run } as WorkflowRun;
}
