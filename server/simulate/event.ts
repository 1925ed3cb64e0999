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

/** One webhook of the forge. Payloads share frozen parts (repository, users): do not change them. */
export type SimulatedEvent = EventContent & {
  /** A version-1 UUID with the time `at`, like GitHub's. */
  deliveryId: string;
  /** The time of the event in milliseconds since the epoch. Times in the payload are whole seconds and not later. */
  at: number;
};

/** An event without its payload, so that thousands of them can wait for their time at little cost. */
export interface PlannedEvent {
  at: number;
  build(): EventContent;
}
