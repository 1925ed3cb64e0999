import type { deploymentStatusPayload } from './payload/deployment.ts';
import type { jobPayload } from './payload/job.ts';
import type { pullRequestPayload, reviewPayload } from './payload/pull-request.ts';
import type { runPayload } from './payload/run.ts';

type EventContent =
  | { eventType: 'workflow_run'; payload: ReturnType<typeof runPayload> }
  | { eventType: 'workflow_job'; payload: ReturnType<typeof jobPayload> }
  | { eventType: 'pull_request'; payload: ReturnType<typeof pullRequestPayload> }
  | { eventType: 'pull_request_review'; payload: ReturnType<typeof reviewPayload> }
  | { eventType: 'deployment_status'; payload: ReturnType<typeof deploymentStatusPayload> };

/** One webhook of the forge. Payloads share parts (repository, users): do not change them. */
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
