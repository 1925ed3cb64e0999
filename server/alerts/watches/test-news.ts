import { flakyDays } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import type { Episode } from './episode.ts';
import { makeWatchHistory } from './find-episodes.ts';
import { changedTests } from './test-changes.ts';
import { watchKey } from './watch-store.ts';

/** Tests that became broken or flaky in the last 14 days and still are, with the key that their incident has if a rule watches them. */
export async function readTestNews(
  tx: Tx,
  integrationId: string,
  now: number,
): Promise<(Episode & { key: string })[]> {
  const { tests } = makeWatchHistory(tx, integrationId, now);
  const [broken, flaky] = await Promise.all([tests.test_broken(), tests.test_flaky()]);
  return [...changedTests('test_broken', broken), ...changedTests('test_flaky', flaky)]
    .filter(({ from }) => from >= now - flakyDays * dayMs)
    .map((episode) => ({ ...episode, key: watchKey(episode).toString('hex') }));
}
