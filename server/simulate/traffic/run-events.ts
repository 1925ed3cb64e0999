import type { PlannedEvent } from '../event.ts';
import { workflowJobPayload, type JobAction } from '../payload/workflow-job.ts';
import type { JobPlan } from './plan-jobs.ts';
import type { AttemptPlan, RunPlan } from './plan-run.ts';
import { workflowRunPayload, type RunAction, type RunState } from '../payload/workflow-run.ts';
import type { World } from './world.ts';

/** All events of a run and its jobs over all attempts. A stable sort by time puts them in order. */
export function runEvents(world: World, run: RunPlan): PlannedEvent[] {
  return run.attempts.flatMap((attempt) => attemptEvents(world, run, attempt));
}

function attemptEvents(world: World, run: RunPlan, attempt: AttemptPlan): PlannedEvent[] {
  const { startedAt, completedAt, conclusion } = attempt;
  const event = (action: RunAction, state: RunState): PlannedEvent => ({
    at: state.updatedAt,
    build: () => ({
      eventType: 'workflow_run',
      payload: workflowRunPayload(world.organization, action, run, attempt, state),
    }),
  });
  const firstStart = Math.min(...attempt.jobs.map((job) => job.startedAt ?? Infinity));
  const needsApproval = conclusion === 'action_required';
  return [
    event('requested', {
      // A run from a fork that needs approval is completed, with a conclusion, before it starts.
      status: needsApproval ? 'completed' : 'queued',
      conclusion: needsApproval ? conclusion : null,
      updatedAt: startedAt,
    }),
    ...(firstStart === Infinity
      ? []
      : [event('in_progress', { status: 'in_progress', conclusion: null, updatedAt: firstStart })]),
    ...attempt.jobs.flatMap((job) => jobEvents(world, run, attempt, job)),
    event('completed', { status: 'completed', conclusion, updatedAt: completedAt }),
  ];
}

function jobEvents(world: World, run: RunPlan, attempt: AttemptPlan, job: JobPlan): PlannedEvent[] {
  const approvedAt = job.gate?.approvedAt ?? null;
  const deployedAt = (at: number) => (job.deploymentId === null ? null : at);
  const event = (action: JobAction, at: number, changedAt: number, status = action): PlannedEvent => ({
    at,
    build: () => ({
      eventType: 'workflow_job',
      payload: workflowJobPayload(world.organization, action, run, attempt, job, {
        status,
        at,
        deploymentUpdatedAt: deployedAt(changedAt),
      }),
    }),
  });
  const { createdAt, startedAt, completedAt, gate } = job;
  const events: PlannedEvent[] = [];
  if (job.isAnnounced)
    events.push(event('queued', createdAt, createdAt, gate === null ? 'queued' : 'waiting'));
  if (gate !== null) events.push(event('waiting', gate.waitingAt, gate.waitingAt));
  if (approvedAt !== null) events.push(event('queued', approvedAt, approvedAt));
  if (startedAt !== null) {
    const reportedAt = Math.min(startedAt + (completedAt - startedAt) * 0.1, startedAt + 5000, completedAt);
    events.push(event('in_progress', reportedAt, startedAt));
  }
  events.push(event('completed', completedAt, completedAt));
  return events;
}
