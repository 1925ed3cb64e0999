import { isRed } from '#contract/runs/conclusions.ts';
import { billableMinutes } from '#contract/runs/runs.ts';

/** What one completed run or job contributes to the rollups of one kind. */
export interface Contribution {
  kind: 'run' | 'job' | 'runner';
  conclusion: string | null;
  attempt: number;
  /** From start to end in milliseconds, for every conclusion. */
  busyMs: number | null;
  /** The same, and null when the times of this conclusion are not measured. */
  durationMs: number | null;
  /** Of jobs: from creation to start; null when not measured. */
  queueMs: number | null;
}

/**
 * Numbers that rollups add up, each with its value for one contribution. The columns of both tables, the row type and all sums
 * follow from this list and the next one. docs/how-to/add-a-metric.md says how to add a number.
 */
export const sums = {
  count: () => 1,
  // Other conclusions, such as skipped and neutral, count only in `count`.
  succeeded: ({ conclusion }) => Number(conclusion === 'success'),
  failed: ({ conclusion }) => Number(isRed(conclusion)),
  cancelled: ({ conclusion }) => Number(conclusion === 'cancelled'),
  reruns: ({ attempt }) => Number(attempt > 1),
  // A run counts by its newest attempt, so these runs succeeded only because they were run again.
  recovered: ({ conclusion, attempt }) => Number(conclusion === 'success' && attempt > 1),
  billableMinutes: ({ kind, conclusion, busyMs }) =>
    kind === 'job' ? billableMinutes({ conclusion, durationMs: busyMs }) : 0,
  busyMs: ({ busyMs }) => busyMs ?? 0,
} as const satisfies Record<string, (of: Contribution) => number>;

/** Times that rollups count in histograms, for percentiles. Null is not counted. */
export const histograms = {
  durations: ({ durationMs }) => durationMs,
  queueTimes: ({ queueMs }) => queueMs,
} as const satisfies Record<string, (of: Contribution) => number | null>;

export type SumName = keyof typeof sums;
export type HistogramName = keyof typeof histograms;
export const sumNames = Object.keys(sums) as SumName[];
export const histogramNames = Object.keys(histograms) as HistogramName[];

/** Makes one value for each name. */
export function eachOf<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}
