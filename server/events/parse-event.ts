import type { QueuedEvent } from '#contract/integrations.ts';
import { deliveryTicks } from './delivery-time.ts';
import { InvalidFieldError, requireFields } from './payload-fields.ts';
import { parsePullRequest } from './pull-request.ts';
import { parseReview } from './review.ts';
import type { JobRow, PullRequestRow, ReviewRow, RunRow, VersionedRow } from '#server/runs/rows.ts';
import { parseWorkflowJob } from './workflow-job.ts';
import { parseWorkflowRun } from './workflow-run.ts';

/** An event as the rows it alone would leave; storing it joins them with those that are there. */
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
 * Strict about what keys and order need, lenient about all else: unknown fields, actions and statuses pass, an optional
 * field of the wrong type reads as absent. Text comes out fit for Postgres, bounded in length.
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
      throw new InvalidFieldError(`event type: must be one that is queued`);
  }
}

/** The event as it was before it came through a thread, where the Buffer of its version becomes a plain array of bytes. */
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
