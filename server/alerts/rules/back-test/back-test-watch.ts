import { backTestDays, type BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { Database } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import type { Episode } from '#server/alerts/watches/episode.ts';
import { findPast, makeWatchHistory } from '#server/alerts/watches/find-episodes.ts';
import { evidenceOf, watchKey } from '#server/alerts/watches/watch-store.ts';
import type { RuleFilter } from '../matching-rules.ts';

const maxSamples = 20;

/** Which incidents a rule about what did not happen would have opened in the last 30 days. */
export async function backTestWatch(
  db: Database,
  integrationId: string,
  rule: RuleFilter,
  now: number,
): Promise<BackTestAnswer> {
  const found = await db.withScope({ integrationId }, (tx) =>
    findPast(makeWatchHistory(tx, integrationId, now), rule),
  );
  const episodes = found.toSorted((a, b) => a.from - b.from);
  const notified = notifiedEpisodes(episodes, rule);
  const recovered = [...notified].filter(({ to }) => to !== null).length;
  return {
    days: backTestDays,
    from: new Date(now - backTestDays * dayMs).toISOString(),
    fired: notified.size,
    recovered: rule.notifyOnRecovery ? recovered : 0,
    heldBack: episodes.length - notified.size,
    incidents: episodes.length,
    redNow: new Set(episodes.flatMap((each) => (each.to === null ? [watchKey(each).toString('hex')] : [])))
      .size,
    matches: episodes.length,
    samples: episodes
      .slice(-maxSamples)
      .reverse()
      .map((episode) => sampleOf(episode, notified.has(episode))),
  };
}

/** Those that no cooldown suppresses. */
function notifiedEpisodes(episodes: readonly Episode[], { cooldownMinutes }: RuleFilter): Set<Episode> {
  const last = new Map<string, number>();
  return new Set(
    episodes.filter((episode) => {
      const key = watchKey(episode).toString('hex');
      if (episode.from - (last.get(key) ?? -Infinity) < cooldownMinutes * 60_000) return false;
      last.set(key, episode.from);
      return true;
    }),
  );
}

function sampleOf(episode: Episode, isNotified: boolean): BackTestAnswer['samples'][number] {
  const { repository, workflow, branch, from, to } = episode;
  return {
    repository,
    workflow,
    branch,
    failure: evidenceOf(episode),
    failedRuns: 0,
    failedJobs: 0,
    messages: isNotified ? 1 : 0,
    heldBack: !isNotified,
    recoveredAt: to === null ? null : new Date(to).toISOString(),
    redMs: to === null ? null : to - from,
  };
}
