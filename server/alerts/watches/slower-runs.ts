import type { Place } from '#contract/alerts/glob.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { durationText } from '#server/alerts/notifications/content/texts.ts';
import { groupBy, type Episode } from './episode.ts';
import { SortedNumbers } from './sorted-numbers.ts';

/** A successful run or job. */
export interface TimedRun extends Place {
  runId: number;
  attempt: number;
  jobId: number | null;
  /** The name of the job; null for a run. */
  job: string | null;
  url: string | null;
  endedAt: number;
  ms: number;
}

const comparedMs = 30 * dayMs;
/** Fewer runs give no reliable median. */
const fewestCompared = 10;
/** Below this nobody waits, whatever the percentage. */
const leastMs = 5_000;

/**
 * The times in which the median of the last `runs` runs exceeded the median of the 30 days before them by `percent`. `all` are in
 * the order of their end. Pure. Each run costs a binary search in a sorted list.
 */
export function slowerRuns(
  all: readonly TimedRun[],
  { percent, runs }: { percent: number; runs: number },
): Episode[] {
  return groupBy(all, ({ repository, workflow, job }) => [repository, workflow, job]).flatMap((own) => {
    const episodes: Episode[] = [];
    const before = new SortedNumbers();
    const recent = new SortedNumbers();
    let oldest = 0;
    for (const [index, run] of own.entries()) {
      recent.add(run.ms);
      const left = own[index - runs];
      if (left !== undefined) {
        recent.remove(left.ms);
        before.add(left.ms);
      }
      for (; oldest <= index - runs && (own[oldest]?.endedAt ?? 0) < run.endedAt - comparedMs; oldest++)
        before.remove(own[oldest]?.ms ?? 0);
      if (before.size < fewestCompared) continue;
      const [usual, now] = [before.median, recent.median];
      const isSlow = now > usual * (1 + percent / 100) && now - usual >= leastMs;
      const last = episodes.at(-1);
      const isOpen = last !== undefined && last.to === null;
      if (isSlow && !isOpen) episodes.push(episodeOf(run, usual, now));
      if (!isSlow && isOpen) last.to = run.endedAt;
    }
    return episodes;
  });
}

function episodeOf(run: TimedRun, usual: number, now: number): Episode {
  const { repository, workflow, branch, runId, attempt, jobId, job, url, endedAt } = run;
  const place = { repository, workflow, branch, runId, attempt, jobId, url };
  const text = `Takes ${durationText(now)} instead of ${durationText(usual)}`;
  return { kind: 'got_slower', ...place, subject: job, from: endedAt, to: null, text };
}
