import type { MonitoringEvent } from '#server/events/parse-event.ts';
import { parseEvent } from '#server/events/parse-event.ts';
import type { RepositoryApi } from './repository-api.ts';

/** Stores what the forge's API says of an integration's runs and jobs as if webhooks had told of it. */
export type RecordFound = (
  integrationId: string,
  events: readonly MonitoringEvent[],
  /** Whether it just happened, so that rules are held against it; history is nothing to be alerted about. */
  options: { isNews: boolean },
) => Promise<void>;

/** Where a run was found; its objects alone do not tell the default branch. */
export interface Place {
  integrationId: string;
  installationId: string;
  repository: string;
  repositoryId?: number | undefined;
  defaultBranch: string | null;
}

/**
 * The events that would have told of the run as it is now: earlier attempts, the run, and the jobs of all attempts.
 * What the forge sends in another shape than it documents is left out.
 */
export async function eventsOfRun(
  api: Pick<RepositoryApi, 'readAttempt' | 'listJobs'>,
  place: Place,
  run: unknown,
  now: number,
): Promise<MonitoringEvent[]> {
  const { id, run_attempt: attempt = 1 } = run as { id: number; run_attempt?: number };
  const { installationId, repository } = place;
  const first = Math.max(1, attempt - maxAttempts);
  const earlier = Array.from({ length: Math.min(attempt - 1, maxAttempts) }, (_, index) => first + index);
  const [jobs, ...attempts] = await Promise.all([
    api.listJobs(installationId, repository, id),
    ...earlier.map((number) => api.readAttempt(installationId, repository, id, number)),
  ]);
  const runs = [...attempts.filter((each) => each !== undefined), run];
  return [
    ...runs.flatMap((each) => eventOf('workflow_run', place, each, now)),
    ...jobs.flatMap((each) => eventOf('workflow_job', place, each, now)),
  ];
}

/** The event that would have told of a pull request as it is now; lists of them leave out whether it was merged. */
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
  return parsed.ok ? [parsed.event] : [];
}
