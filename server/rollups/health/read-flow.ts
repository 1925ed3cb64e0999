import { maxCheckedPulls, type Flow, type MergedPull } from '#contract/metrics/health.ts';
import type { Tx } from '#platform/database/database.ts';
import { showTime } from '#platform/runtime/times.ts';
import { readGreenToMerge } from '#server/runs/green/green-to-merge.ts';
import { listCheckTimes, listReviewTimes } from './flow-store.ts';
import { percentilesOf } from './percentiles.ts';
import type { MergedRow } from './result-store.ts';

/** How long pull requests took that were merged in the span, newest first. */
export async function readFlow(
  tx: Tx,
  integrationId: string,
  merged: readonly MergedRow[],
  limit: number,
): Promise<Flow> {
  const checked = merged.slice(0, maxCheckedPulls);
  const [reviews, checks, green] = await Promise.all([
    listReviewTimes(tx, integrationId, merged),
    listCheckTimes(tx, integrationId, checked),
    readGreenToMerge(tx, integrationId, checked),
  ]);
  const reviewOf = new Map(reviews.map((review) => [review.place, review]));
  const checksOf = Map.groupBy(checks, ({ place }) => place);
  const pulls = merged.map((pull, place): MergedPull => {
    const { repository, number, title, url, createdAt, mergedAt } = pull;
    const review = reviewOf.get(place);
    const since = (from: number | null = null, to: number | null = null): number | null =>
      from === null || to === null ? null : Math.max(0, to - from);
    return {
      repository,
      number,
      title,
      url,
      mergedAt: showTime(mergedAt),
      timeToMergeMs: since(createdAt, mergedAt),
      firstReviewMs: since(createdAt, review?.firstAt),
      approvalToMergeMs: since(review?.approvedAt, mergedAt),
      greenToMergeMs: green.get(place) ?? null,
      rounds: review?.rounds ?? null,
      checksMs:
        createdAt === null || !checksOf.has(place)
          ? null
          : coveredMs(checksOf.get(place) ?? [], { from: createdAt, to: mergedAt }),
    };
  });
  const measured = (
    of: 'timeToMergeMs' | 'firstReviewMs' | 'approvalToMergeMs' | 'greenToMergeMs' | 'rounds',
  ) => percentilesOf(pulls.flatMap((pull) => pull[of] ?? []));
  const shares = pulls.flatMap(({ checksMs, timeToMergeMs }) =>
    checksMs === null || !timeToMergeMs ? [] : [checksMs / timeToMergeMs],
  );
  return {
    merged: merged.length,
    timeToMerge: measured('timeToMergeMs'),
    firstReview: measured('firstReviewMs'),
    approvalToMerge: measured('approvalToMergeMs'),
    greenToMerge: measured('greenToMergeMs'),
    rounds: measured('rounds'),
    reworked: pulls.filter(({ rounds }) => (rounds ?? 0) > 0).length,
    checks: {
      count: shares.length,
      p50: shares.toSorted((a, b) => a - b)[Math.ceil(shares.length / 2) - 1] ?? null,
    },
    items: pulls.slice(0, limit),
  };
}

/** How much of a span at least one of the times covers. */
export function coveredMs(
  times: readonly { from: number; to: number }[],
  span: { from: number; to: number },
): number {
  let [covered, end] = [0, span.from];
  for (const { from, to } of times.toSorted((a, b) => a.from - b.from)) {
    const until = Math.min(to, span.to);
    covered += Math.max(0, until - Math.max(from, end));
    end = Math.max(end, until);
  }
  return covered;
}
