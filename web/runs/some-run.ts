import type { WorkflowRun } from '#contract/monitoring.ts';

/** A run for tests. */
export function someRun(facts: Partial<WorkflowRun> & { runId: number }): WorkflowRun {
  return {
    integrationId: '0198e7a0-0000-7000-8000-000000000001',
    attempt: 1,
    runNumber: facts.runId,
    repository: 'fernhill/web-console',
    workflowId: 1,
    workflowName: 'ci',
    workflowPath: '.github/workflows/ci.yml',
    event: 'push',
    status: 'queued',
    conclusion: null,
    title: 'Round amounts once',
    commitMessage: null,
    headBranch: 'main',
    headSha: 'a'.repeat(40),
    actor: 'mira-okafor',
    actorAvatarUrl: null,
    triggeringActor: null,
    url: null,
    createdAt: '2026-11-20T12:00:00.000Z',
    startedAt: null,
    updatedAt: null,
    completedAt: null,
    durationMs: null,
    pullRequests: [],
    ...facts,
  };
}
