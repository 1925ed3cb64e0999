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
  const open = await listOpenWatches(tx, integrationId);
  const history = makeWatchHistory(tx, integrationId, now);
  const episodes = await findLasting(history, rule, open.map(episodeOf));
  const byKey = new Map(episodes.map((episode) => [watchKey(episode).toString('hex'), episode]));
  const keys = [...byKey.keys()].map((key) => Buffer.from(key, 'hex'));
  const past = await listPast(tx, integrationId, keys);
  return [...byKey].filter(([key, { from }]) => {
    const known = open.find((row) => row.branch_key.toString('hex') === key);
    const { closedAt = -Infinity, notifiedAt = new Map<string, number>() } = past.get(key) ?? {};
    return (known !== undefined || from > closedAt) && mustNotify(rule, known, notifiedAt, now);
  }).length;
}
