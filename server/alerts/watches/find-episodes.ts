import { backTestDays } from '#contract/alerts/back-test.ts';
import { looksAt, passesGlobs } from '#contract/alerts/glob.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import type { RuleFilter } from '#server/alerts/rules/matching-rules.ts';
import type { Episode } from './episode.ts';
import { longQueues } from './long-queues.ts';
import { missingRuns } from './missing-runs.ts';
import { slowerRuns } from './slower-runs.ts';
import { listQueuedJobs, listStartedRuns, listTimedRuns } from './watch-history-store.ts';

/** `now`: only those that last. `history`: those of the days of a back-test. */
export type EpisodeScope = 'now' | 'history';

/** Live evaluation and the back-test share this function, so that the back-test predicts what live rules do. */
export async function findEpisodes(
  tx: Tx,
  integrationId: string,
  rule: RuleFilter,
  now: number,
  scope: EpisodeScope,
): Promise<Episode[]> {
  const episodes = await allEpisodes(tx, integrationId, rule, now, scope);
  const since = now - backTestDays * dayMs;
  return episodes.filter(({ from, to }) => (scope === 'now' ? to === null : from >= since));
}

async function allEpisodes(
  tx: Tx,
  integrationId: string,
  rule: RuleFilter,
  now: number,
  scope: EpisodeScope,
): Promise<Episode[]> {
  const days = (count: number): Date => new Date(now - count * dayMs);
  switch (rule.watch) {
    case 'failure':
      return [];
    case 'did_not_run': {
      const runs = await listStartedRuns(tx, integrationId, days(2 * backTestDays));
      return missingRuns(
        runs.filter((run) => looksAt(rule, run)),
        rule.everyHours,
        now,
      );
    }
    case 'queued_too_long': {
      const jobs = await listQueuedJobs(tx, integrationId, days(backTestDays), scope === 'now');
      const matching = jobs.filter(
        (job) => looksAt(rule, job) && passesGlobs(rule.jobs, job.name, 'character'),
      );
      return longQueues(matching, { minutes: rule.queueMinutes, labels: rule.labels }, now);
    }
    case 'got_slower': {
      const runs = await listTimedRuns(tx, integrationId, days(2 * backTestDays), rule.slowerSubject);
      const matching = runs.filter(
        (run) => looksAt(rule, run) && (run.job === null || passesGlobs(rule.jobs, run.job, 'character')),
      );
      return slowerRuns(matching, { percent: rule.slowerPercent, runs: rule.slowerRuns });
    }
  }
}
