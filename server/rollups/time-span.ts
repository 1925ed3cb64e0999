import { longestMetricsDays, type Granularity } from '#contract/metrics/metrics.ts';
import type { OverviewRange } from '#contract/metrics/overview.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import { hourMs, dayMs } from '#platform/runtime/time-units.ts';

/** Whole hours or days. `to` is exclusive. Milliseconds since the epoch. */
export interface TimeSpan {
  from: number;
  to: number;
  granularity: Granularity;
}

export const stepMs = { hour: hourMs, day: dayMs } as const satisfies Record<Granularity, number>;

const rangeHours = { '24h': 24, '7d': 168, '30d': 720, '90d': 2160 } as const satisfies Record<
  OverviewRange,
  number
>;

/** The last hours or days, including the one in progress. */
export function overviewSpan(range: OverviewRange, now: number): TimeSpan {
  const granularity = range === '24h' ? 'hour' : 'day';
  const to = floor(now, stepMs[granularity]) + stepMs[granularity];
  return { from: to - rangeHours[range] * hourMs, to, granularity };
}

/** The span of the same length that ends where this one starts. */
export function previousSpan({ from, to, granularity }: TimeSpan): TimeSpan {
  return { from: from - (to - from), to: from, granularity };
}

interface RequestedSpan {
  from?: string | undefined;
  to?: string | undefined;
  granularity?: Granularity | undefined;
}

/** @throws AppError `invalid_request` when `from` is after `to`, or the span is too long. */
export function metricsSpan({ from, to, granularity }: RequestedSpan, now: number): TimeSpan {
  const toMs = to === undefined ? now : Date.parse(to);
  const fromMs = from === undefined ? toMs - 7 * dayMs : Date.parse(from);
  const kind = granularity ?? (toMs - fromMs <= 2 * dayMs ? 'hour' : 'day');
  const step = stepMs[kind];
  const span = { from: floor(fromMs, step), to: floor(toMs, step) + step, granularity: kind };
  if (fromMs > toMs) throw invalidField('from', 'must not be after to');
  const longest = longestMetricsDays[kind];
  if (span.to - span.from > (longest + 1) * dayMs)
    throw invalidField('from', `must be at most ${longest} days before to, by ${kind}`);
  return span;
}

/** The starts of all hours or days of the span. */
export function stepsOf({ from, to, granularity }: TimeSpan): number[] {
  const step = stepMs[granularity];
  return Array.from({ length: Math.round((to - from) / step) }, (_, index) => from + index * step);
}

/** The largest multiple of `step` that is at most `ms`. */
export function floor(ms: number, step: number): number {
  return Math.floor(ms / step) * step;
}
