import { hourMs } from '#platform/runtime/time-units.ts';
import { durationText } from '#server/alerts/notifications/content/texts.ts';
import type { Place } from '#contract/alerts/glob.ts';
import { groupBy, type Episode } from './episode.ts';

export interface StartedRun extends Place {
  runId: number;
  attempt: number;
  /** What started it, for example `schedule` or `push`. */
  event: string | null;
  url: string | null;
  at: number;
}

/** Intervals between scheduled runs that show the rhythm. */
const intervals = 14;
const fewestIntervals = 4;
/** Forges start scheduled runs late when they are busy. */
const graceMs = 15 * 60_000;

/**
 * The times in which a workflow did not run for too long: longer than `everyHours`, or than the rhythm of its runs. `runs` are in the
 * order of their start. Pure.
 */
export function missingRuns(runs: readonly StartedRun[], everyHours: number | null, now: number): Episode[] {
  return groupBy(runs, ({ repository, workflow }) => [repository, workflow]).flatMap((own) =>
    own.flatMap((run, index) => {
      const allowed = everyHours === null ? rhythmOf(own, index) : everyHours * hourMs;
      const next = own[index + 1]?.at ?? null;
      if (allowed === undefined || (next ?? now) - run.at <= allowed) return [];
      return [episodeOf(run, allowed, next)];
    }),
  );
}

/**
 * The longest time between the scheduled runs before `index`, without the very longest one: a pause of every weekend belongs to
 * the rhythm, a single outage does not. Undefined if there are too few.
 */
function rhythmOf(runs: readonly StartedRun[], index: number): number | undefined {
  const gaps: number[] = [];
  for (let each = index; each > 0 && gaps.length < intervals; each--)
    gaps.push((runs[each]?.at ?? 0) - (runs[each - 1]?.at ?? 0));
  if (gaps.length < fewestIntervals) return undefined;
  const second = gaps.toSorted((a, b) => b - a)[1] ?? 0;
  return second * 1.25 + graceMs;
}

function episodeOf(run: StartedRun, allowed: number, next: number | null): Episode {
  const { repository, workflow, branch, runId, attempt, url, at } = run;
  return {
    kind: 'did_not_run',
    repository,
    workflow,
    branch,
    subject: null,
    from: at + allowed,
    to: next,
    text: `Did not run for ${durationText(allowed)}`,
    runId,
    attempt,
    jobId: null,
    url,
  };
}
