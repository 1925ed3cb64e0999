import { storableText } from '#platform/database/rows/storable-text.ts';
import type { JobStep } from '#contract/runs/runs.ts';
import { ticksToMs } from '../parsing/delivery-time.ts';
import { fields, isFields, type Fields } from '#platform/runtime/json-fields.ts';
import {
  id,
  maskedText,
  maxLengths,
  requireFields,
  requireId,
  requireJobAttempt,
  requireText,
  textList,
  type Origin,
} from '../parsing/payload-fields.ts';
import { timeMs, timeText } from '#platform/runtime/times.ts';
import { maskStepName } from '#server/masking/mask-text.ts';
import { mergeSteps, maxSteps } from '#server/runs/objects/steps.ts';
import { jobObject, storedJobs, type JobRow } from '#server/runs/objects/job.ts';
import { jobStaleRules, jobVersion, statusRank } from '#server/runs/staleness.ts';
import { eventType } from './event-type.ts';

const maxLabels = 100;

/** `action` is not read, because it may contradict `status`. */
function parseWorkflowJob(payload: Fields, { integrationId, deliveredAt }: Origin): JobRow {
  const job = requireFields(payload['workflow_job'], 'workflow_job');
  const repository = requireFields(payload['repository'], 'repository');
  const status = requireText(job['status'], 'workflow_job.status', maxLengths.conclusion);
  const deploymentUpdatedAtMs = timeMs(fields(payload['deployment'])['updated_at']);
  const headBranch = storableText(job['head_branch'], maxLengths.name);
  return {
    integrationId,
    runId: requireId(job['run_id'], 'workflow_job.run_id'),
    attempt: requireJobAttempt(job),
    jobId: requireId(job['id'], 'workflow_job.id'),
    version: jobVersion({ status, deploymentUpdatedAtMs, deliveredAt }),
    repository: requireText(repository['full_name'], 'repository.full_name', maxLengths.name),
    name: maskedText(job['name'], maxLengths.name) ?? '',
    status,
    conclusion: storableText(job['conclusion'], maxLengths.conclusion),
    completedAt: status === 'completed' ? (timeMs(job['completed_at']) ?? ticksToMs(deliveredAt)) : null,
    onDefaultBranch: headBranch !== null && headBranch === repository['default_branch'],
    workflowName: maskedText(job['workflow_name'], maxLengths.name),
    headBranch,
    headSha: storableText(job['head_sha'], maxLengths.name),
    runnerId: id(job['runner_id']),
    runnerName: storableText(job['runner_name'], maxLengths.name),
    runnerGroup: storableText(job['runner_group_name'], maxLengths.name),
    url: storableText(job['html_url'], maxLengths.url),
    startedAt: readStart(job, status),
    createdAt: timeMs(job['created_at']),
    // A runner needs all labels, so their order means nothing, and equal sets have equal texts.
    labels: textList(job['labels'], maxLabels).toSorted(),
    steps: readSteps(job['steps']),
    olderFacts: null,
  };
}

/**
 * Until a runner picks up the job, forges send its creation time as `started_at`. For a job that never ran, GitHub may send a time
 * after its end.
 */
function readStart(job: Fields, status: string): number | null {
  const startedAt = statusRank(status) >= 2 ? timeMs(job['started_at']) : null;
  const completedAt = status === 'completed' ? timeMs(job['completed_at']) : null;
  return startedAt !== null && completedAt !== null && startedAt > completedAt ? null : startedAt;
}

/** Steps in ascending order. Each number occurs once. */
function readSteps(list: unknown): JobStep[] {
  if (!Array.isArray(list)) return [];
  const steps = list.slice(0, maxSteps).filter(isFields).map(readStep);
  const isAscending = steps.every((step, index) => index === 0 || step.number > steps[index - 1]!.number);
  return isAscending ? steps : steps.reduce((merged: JobStep[], step) => mergeSteps(merged, [step]), []);
}

function readStep(step: Fields, index: number): JobStep {
  return {
    // Gitea numbers steps from 0.
    number: step['number'] === 0 ? 0 : (id(step['number']) ?? index + 1),
    name: maskedText(step['name'], maxLengths.name, maskStepName) ?? '',
    status: storableText(step['status'], maxLengths.conclusion) ?? '',
    conclusion: storableText(step['conclusion'], maxLengths.conclusion),
    startedAt: timeText(step['started_at']),
    completedAt: timeText(step['completed_at']),
  };
}

export const workflowJob = eventType({
  code: 1,
  object: storedJobs,
  parse: parseWorkflowJob,
  staleRules: jobStaleRules,
  update: (job) => ({ type: 'workflow_job', data: jobObject(job) }),
});
