import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { parseEvent } from '#server/events/parsing/parse-event.ts';
import { fields } from '#platform/runtime/json-fields.ts';
import { timeMs } from '#platform/runtime/times.ts';
import type { Forge } from '#server/forges/port.ts';

/** Stores runs and jobs read from the forge's API, as if webhooks had delivered them. */
export type RecordFound = (
  integrationId: string,
  events: readonly MonitoringEvent[],
  /** Whether notification rules are evaluated. They are not for history. */
  options: { isNews: boolean },
) => Promise<void>;

/** The repository of a run. The run itself does not contain the default branch. */
export interface Place {
  integrationId: string;
  repository: string;
  repositoryId?: number | undefined;
  defaultBranch: string | null;
}

/**
 * Builds the events for the current state of a run: its earlier attempts, the run, and the jobs of all attempts. Skips objects
 * that do not have the documented shape.
 */
export async function eventsOfRun(
  forge: Pick<Forge, 'readAttempt' | 'listJobs'>,
  place: Place,
  run: unknown,
  now: number,
): Promise<MonitoringEvent[]> {
  const { id, run_attempt: attempt = 1 } = run as { id: number; run_attempt?: number };
  const { repository } = place;
  const first = Math.max(1, attempt - maxAttempts);
  const earlier = Array.from({ length: Math.min(attempt - 1, maxAttempts) }, (_, index) => first + index);
  const [jobs, ...attempts] = await Promise.all([
    forge.listJobs(repository, id),
    ...earlier.map((number) => forge.readAttempt(repository, id, number)),
  ]);
  const runs = [...attempts.filter((each) => each !== undefined), run];
  return [
    ...runs.flatMap((each) => eventOf('workflow_run', place, withEnd(each, jobs), now)),
    ...jobs.flatMap((each) => eventOf('workflow_job', place, each, now)),
  ];
}

/**
 * GitHub sends no time of completion and moves `updated_at` later, for example when logs are deleted. The attempt ended with the last of
 * its jobs.
 */
function withEnd(run: unknown, jobs: readonly unknown[]): unknown {
  const { status, run_attempt: attempt = 1, completed_at: known } = fields(run);
  if (status !== 'completed' || timeMs(known) !== null) return run;
  const ends = jobs.flatMap((job) => {
    const { run_attempt: own = 1, completed_at: end } = fields(job);
    return own === attempt ? (timeMs(end) ?? []) : [];
  });
  if (ends.length === 0) return run;
  return { ...fields(run), completed_at: new Date(Math.max(...ends)).toISOString() };
}

/** Builds the event for the current state of a pull request. Lists contain `merged_at` but not `merged`. */
export function eventsOfPullRequest(
  place: Place,
  pullRequest: { merged_at: string | null },
  now: number,
): MonitoringEvent[] {
  return eventOf('pull_request', place, { ...pullRequest, merged: pullRequest.merged_at !== null }, now);
}

/** Of a run that was tried very often the latest attempts are enough. */
const maxAttempts = 10;

function eventOf(
  eventType: 'workflow_run' | 'workflow_job' | 'pull_request',
  place: Place,
  object: unknown,
  now: number,
): MonitoringEvent[] {
  const payload = {
    [eventType]: object,
    repository: {
      id: place.repositoryId ?? (object as { repository?: { id?: number } }).repository?.id,
      full_name: place.repository,
      default_branch: place.defaultBranch,
    },
  };
  const { integrationId } = place;
  const parsed = parseEvent({ eventType, integrationId, deliveryId: undefined, receivedAt: now, payload });
  if (!parsed.ok) return [];
  // Its names are those of when the repository was chosen.
  if (parsed.event.source !== undefined) parsed.event.source.at = 0;
  return [parsed.event];
}
