import type { WorkflowJob } from '#contract/runs/runs.ts';

/** A job for tests. */
export function someJob(facts: Partial<WorkflowJob> & { jobId: number }): WorkflowJob {
  return {
    integrationId: '0198e7a0-0000-7000-8000-000000000001',
    runId: 90,
    attempt: 1,
    repository: 'fernhill/web-console',
    workflowName: 'ci',
    name: 'build',
    status: 'queued',
    conclusion: null,
    headBranch: 'main',
    headSha: null,
    runnerName: null,
    runnerGroup: null,
    labels: [],
    url: null,
    createdAt: '2026-11-20T12:00:00.000Z',
    startedAt: null,
    completedAt: null,
    queueMs: null,
    durationMs: null,
    steps: [],
    ...facts,
  };
}
