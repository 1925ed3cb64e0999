import type { WorkflowJob } from '#contract/monitoring.ts';
import { durationMs, queueMs } from './durations.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { JobRow } from './rows.ts';

/** A stored job in the shape of the run page and of updates. */
export function jobObject(row: JobRow): WorkflowJob {
  return {
    integrationId: row.integrationId,
    runId: row.runId,
    attempt: row.attempt,
    jobId: row.jobId,
    repository: row.repository,
    workflowName: row.workflowName,
    name: row.name,
    status: row.status,
    conclusion: row.conclusion,
    headBranch: row.headBranch,
    headSha: row.headSha,
    runnerName: row.runnerName,
    runnerGroup: row.runnerGroup,
    labels: row.labels,
    url: row.url,
    createdAt: showTime(row.createdAt),
    startedAt: showTime(row.startedAt),
    completedAt: showTime(row.completedAt),
    queueMs: queueMs(row),
    durationMs: durationMs(row),
    steps: row.steps,
  };
}
