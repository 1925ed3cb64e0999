import type { Place } from '#contract/alerts/glob.ts';
import { longestWaitHours } from '#contract/metrics/queue.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { capped, durationText } from '#server/alerts/notifications/content/texts.ts';
import { groupBy, type Episode } from './episode.ts';

export interface QueuedJob extends Place {
  runId: number;
  attempt: number;
  jobId: number;
  name: string;
  labels: readonly string[];
  url: string | null;
  queuedAt: number;
  /** When a runner took it, or it ended without one; null while it waits. */
  endedAt: number | null;
}

/** All labels of a job together. */
const maxSubject = 255;

/** Its last webhook may be missing. */
const longestWaitMs = longestWaitHours * hourMs;

/**
 * The times in which jobs with a label waited for over `minutes`, one after another or at once. Jobs count for each of `labels`
 * that they have; without `labels`, for all their labels together, which choose the runner. Pure.
 */
export function longQueues(
  jobs: readonly QueuedJob[],
  { minutes, labels }: { minutes: number; labels: readonly string[] },
  now: number,
): Episode[] {
  const wanted = new Map(labels.map((label) => [label.toLowerCase(), label]));
  const waits = jobs.flatMap((job) => {
    const from = job.queuedAt + minutes * 60_000;
    const end = job.endedAt ?? (now - job.queuedAt > longestWaitMs ? job.queuedAt + longestWaitMs : null);
    if ((end ?? now) <= from) return [];
    return subjectsOf(job.labels, wanted).map((subject) => ({ job, subject, from, to: end }));
  });
  return groupBy(waits, ({ subject }) => subject).flatMap((own) => {
    const episodes: Episode[] = [];
    for (const { job, subject, from, to } of own.toSorted((a, b) => a.from - b.from)) {
      const last = episodes.at(-1);
      if (last !== undefined && (last.to === null || last.to >= from))
        last.to = last.to === null || to === null ? null : Math.max(last.to, to);
      else episodes.push(episodeOf(job, subject, minutes, from, to));
    }
    return episodes;
  });
}

function subjectsOf(own: readonly string[], wanted: ReadonlyMap<string, string>): string[] {
  if (wanted.size > 0)
    return own.flatMap((label) => {
      const known = wanted.get(label.toLowerCase());
      return known === undefined ? [] : [known];
    });
  return own.length === 0 ? [] : [own.toSorted().join(', ').slice(0, maxSubject)];
}

function episodeOf(
  job: QueuedJob,
  subject: string,
  minutes: number,
  from: number,
  to: number | null,
): Episode {
  const { repository, workflow, branch, runId, attempt, jobId, url } = job;
  const place = { repository, workflow, branch, runId, attempt, jobId, url };
  const text = `Jobs with ${capped(subject, 100)} wait for over ${durationText(minutes * 60_000)}`;
  return { kind: 'queued_too_long', ...place, subject, from, to, text };
}
