import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { deliveryTicks } from './delivery-time.ts';
import { InvalidFieldError, requireFields } from './payload-fields.ts';
import { parsePullRequest } from './pull-request.ts';
import { parseReview } from './review.ts';
import { parseWorkflowJob } from './workflow-job.ts';
import { parseWorkflowRun } from './workflow-run.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';
import type { ReviewRow } from '#server/runs/objects/review.ts';
import type { RunRow } from '#server/runs/objects/run.ts';
import type { VersionedRow } from '#server/runs/objects/columns.ts';

/** An event as the row that it would leave alone. Storing it merges this row with the stored one. */
export type MonitoringEvent = { integrationId: string } & (
  | { type: 'workflow_run'; run: RunRow }
  | { type: 'workflow_job'; job: JobRow }
  | { type: 'pull_request'; pullRequest: PullRequestRow }
  | { type: 'pull_request_review'; review: ReviewRow }
);

export interface ReceivedEvent {
  eventType: QueuedEvent;
  integrationId: string;
  deliveryId: string | null | undefined;
  /** Milliseconds since the epoch. */
  receivedAt: number;
  payload: unknown;
}

export type ParsedEvent =
  | { ok: true; event: MonitoringEvent }
  /** `detail` names the field and what it must be, never a value. */
  | { ok: false; reason: 'invalid_payload'; detail: string };

/**
 * Strict about fields that keys and order need, lenient about the rest: unknown fields, actions and statuses are accepted, and
 * an optional field of the wrong type counts as absent. Texts are storable in Postgres and bounded in length.
 */
export function parseEvent(received: ReceivedEvent): ParsedEvent {
  try {
    return { ok: true, event: readEvent(received) };
  } catch (error) {
    if (!(error instanceof InvalidFieldError)) throw error;
    return { ok: false, reason: 'invalid_payload', detail: error.message };
  }
}

function readEvent({
  eventType,
  integrationId,
  deliveryId,
  receivedAt,
  payload: body,
}: ReceivedEvent): MonitoringEvent {
  const payload = requireFields(body, 'payload');
  const origin = { integrationId, deliveredAt: deliveryTicks(deliveryId, receivedAt) };
  switch (eventType) {
    case 'workflow_run':
      return { type: eventType, integrationId, run: parseWorkflowRun(payload, origin) };
    case 'workflow_job':
      return { type: eventType, integrationId, job: parseWorkflowJob(payload, origin) };
    case 'pull_request':
      return { type: eventType, integrationId, pullRequest: parsePullRequest(payload, origin) };
    case 'pull_request_review':
      return { type: eventType, integrationId, review: parseReview(payload, origin) };
    default:
      throw new InvalidFieldError(`event type: must be one of the queued events`);
  }
}

/** Restores the version's Buffer, which becomes a plain Uint8Array when an event is passed between threads. */
export function restoreVersion(event: MonitoringEvent): MonitoringEvent {
  const row = rowOf(event);
  row.version = Buffer.from(row.version) as typeof row.version;
  return event;
}

function rowOf(event: MonitoringEvent): VersionedRow {
  switch (event.type) {
    case 'workflow_run':
      return event.run;
    case 'workflow_job':
      return event.job;
    case 'pull_request':
      return event.pullRequest;
    default:
      return event.review;
  }
}
