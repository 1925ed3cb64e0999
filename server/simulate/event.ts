import type { WorkflowJobPayload } from './payload/workflow-job.ts';
import type { PullRequestPayload } from './payload/pull-request.ts';
import type { PullRequestReviewPayload } from './payload/review.ts';
import type { WorkflowRunPayload } from './payload/workflow-run.ts';

export const eventTypes = ['workflow_run', 'workflow_job', 'pull_request', 'pull_request_review'] as const;
export type EventType = (typeof eventTypes)[number];

interface Payloads {
  workflow_run: WorkflowRunPayload;
  workflow_job: WorkflowJobPayload;
  pull_request: PullRequestPayload;
  pull_request_review: PullRequestReviewPayload;
}

type EventContent = { [Type in EventType]: { eventType: Type; payload: Payloads[Type] } }[EventType];

/** One webhook of the forge. Payloads share frozen parts (repository, people) with each other: do not change them. */
export type SimulatedEvent = EventContent & {
  /** UUID version 1 that carries `at`, as GitHub's. */
  deliveryId: string;
  /** When it happens, in milliseconds since the epoch. Times inside the payload are whole seconds up to this one. */
  at: number;
};

/** An event that is decided but not yet written out: thousands can wait for their time at little cost. */
export interface PlannedEvent {
  at: number;
  build(): EventContent;
}
