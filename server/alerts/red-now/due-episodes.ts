import type { Tx } from '#platform/database/database.ts';
import type { Rule } from '#server/alerts/rules/matching-rules.ts';
import { mustNotify } from '#server/alerts/watches/evaluate-watches.ts';
import { findEpisodes } from '#server/alerts/watches/find-episodes.ts';
import { listOpenWatches, listPast, watchKey } from '#server/alerts/watches/watch-store.ts';

/** How many incidents the next evaluation of a rule about what did not happen notifies about. */
export async function countDueEpisodes(
  tx: Tx,
  integrationId: string,
  rule: Rule,
  now: number,
): Promise<number> {
  const episodes = await findEpisodes(tx, integrationId, rule, now, 'now');
  const byKey = new Map(episodes.map((episode) => [watchKey(episode).toString('hex'), episode]));
  const keys = [...byKey.keys()].map((key) => Buffer.from(key, 'hex'));
  const [open, past] = await Promise.all([
    listOpenWatches(tx, integrationId),
    listPast(tx, integrationId, keys),
  ]);
  return [...byKey].filter(([key, { from }]) => {
    const known = open.find((row) => row.branch_key.toString('hex') === key);
    const { closedAt = -Infinity, notifiedAt = new Map<string, number>() } = past.get(key) ?? {};
    return (known !== undefined || from > closedAt) && mustNotify(rule, known, notifiedAt, now);
  }).length;
}
