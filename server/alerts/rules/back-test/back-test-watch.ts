import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { backTestDays, type BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { Database } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import type { Episode } from '#server/alerts/watches/episode.ts';
import { findPast, makeWatchHistory } from '#server/alerts/watches/find-episodes.ts';
import { isNews } from '#server/alerts/watches/test-changes.ts';
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
  const keys = await keysOf(episodes);
  const notified = notifiedEpisodes(keys, rule);
  const recovered = [...notified].filter(({ to }) => to !== null).length;
  return {
    days: backTestDays,
    from: new Date(now - backTestDays * dayMs).toISOString(),
    fired: notified.size,
    passedOnRerun: 0,
    recovered: rule.notifyOnRecovery ? recovered : 0,
    heldBack: episodes.length - notified.size,
    incidents: episodes.length,
    redNow: new Set(
      [...keys].flatMap(([episode, key]) => (episode.to === null && isNews(episode, now) ? [key] : [])),
    ).size,
    matches: episodes.length,
    samples: episodes
      .slice(-maxSamples)
      .reverse()
      .map((episode) => sampleOf(episode, notified.has(episode))),
    digest: null,
  };
}

async function keysOf(episodes: readonly Episode[]): Promise<Map<Episode, string>> {
  const keys = new Map<Episode, string>();
  const takeBreaks = makeBreaks();
  for (const episode of episodes) {
    await takeBreaks();
    keys.set(episode, watchKey(episode).toString('hex'));
  }
  return keys;
}

/** Those that no cooldown suppresses. */
function notifiedEpisodes(keys: ReadonlyMap<Episode, string>, { cooldownMinutes }: RuleFilter): Set<Episode> {
  const last = new Map<string, number>();
  const notified = new Set<Episode>();
  for (const [episode, key] of keys) {
    if (episode.from - (last.get(key) ?? -Infinity) < cooldownMinutes * 60_000) continue;
    last.set(key, episode.from);
    notified.add(episode);
  }
  return notified;
}

function sampleOf(episode: Episode, isNotified: boolean): BackTestAnswer['samples'][number] {
  const { subject, repository, workflow, branch, from, to } = episode;
  return {
    subject,
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
