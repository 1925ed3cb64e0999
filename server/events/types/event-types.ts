import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import type { VersionedRow } from '#server/runs/objects/columns.ts';
import type { EventType } from './event-type.ts';
import { deploymentStatus } from './deployment-status.ts';
import { pullRequest } from './pull-request.ts';
import { pullRequestReview } from './pull-request-review.ts';
import { workflowJob } from './workflow-job.ts';
import { workflowRun } from './workflow-run.ts';

const eventTypes = {
  workflow_run: workflowRun,
  workflow_job: workflowJob,
  pull_request: pullRequest,
  pull_request_review: pullRequestReview,
  deployment_status: deploymentStatus,
} satisfies Record<QueuedEvent, object>;

/** The row of an event of this type. */
export type RowOfType<Type extends QueuedEvent> = ReturnType<(typeof eventTypes)[Type]['parse']>;

/** The type's description, for code that treats all types alike. */
export function eventTypeOf(type: QueuedEvent): EventType<VersionedRow> {
  return eventTypes[type] as unknown as EventType<VersionedRow>;
}
