import type { Episode } from '#server/alerts/watches/episode.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Rule } from '#server/alerts/rules/matching-rules.ts';
import { mustNotify } from '#server/alerts/watches/evaluate-watches.ts';
import { findLasting, makeWatchHistory } from '#server/alerts/watches/find-episodes.ts';
import { episodeOf, listOpenWatches, listPast, watchKey } from '#server/alerts/watches/watch-store.ts';

/** How many incidents the next evaluation of a rule about what did not happen notifies about. */
export async function countDueEpisodes(
  tx: Tx,
  integrationId: string,
  rule: Rule,
  now: number,
): Promise<number> {
  const openByKey = new Map(
    (await listOpenWatches(tx, integrationId)).map((row) => [row.branch_key.toString('hex'), row]),
  );
  const open = [...openByKey].map(([key, row]) => ({ ...episodeOf(row), key }));
  const episodes = await findLasting(makeWatchHistory(tx, integrationId, now), rule, open);
  const byKey = new Map<string, Episode>();
  const takeBreaks = makeBreaks();
  for (const episode of episodes) {
    await takeBreaks();
    byKey.set(watchKey(episode).toString('hex'), episode);
  }
  const keys = [...byKey.keys()].map((key) => Buffer.from(key, 'hex'));
  const past = await listPast(tx, integrationId, keys);
  return [...byKey].filter(([key, { from }]) => {
    const known = openByKey.get(key);
    const { closedAt = -Infinity, notifiedAt = new Map<string, number>() } = past.get(key) ?? {};
    return (known !== undefined || from > closedAt) && mustNotify(rule, known, notifiedAt, now);
  }).length;
}
