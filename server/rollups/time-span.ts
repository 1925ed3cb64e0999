import { longestMetricsDays, type Granularity } from '#contract/metrics/metrics.ts';
import type { OverviewRange } from '#contract/metrics/overview.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import { hourMs, dayMs } from '#platform/runtime/time-units.ts';

/** Whole hours, or days of a time zone. `to` is exclusive. Milliseconds since the epoch. */
export interface TimeSpan {
  from: number;
  to: number;
  granularity: Granularity;
  /** Of days. */
  timeZone: string;
}

/** Days of the reader are added up from hours, so longer spans have days of UTC, whose sums are stored. */
const longestLocalDays = 92;

const rangeHours = { '24h': 24, '7d': 168, '30d': 720, '90d': 2160 } as const satisfies Record<
  OverviewRange,
  number
>;

/** The last hours or days, including the one in progress. @throws AppError `invalid_request` when the time zone is not known. */
export function overviewSpan(range: OverviewRange, now: number, timeZone = 'UTC'): TimeSpan {
  checkTimeZone(timeZone);
  if (range === '24h') {
    const to = floor(now, hourMs) + hourMs;
    return { from: to - rangeHours[range] * hourMs, to, granularity: 'hour', timeZone };
  }
  const to = addDays(startOfDay(now, timeZone), 1, timeZone);
  return { from: addDays(to, -rangeHours[range] / 24, timeZone), to, granularity: 'day', timeZone };
}

/** The span of as many hours or days that ends where this one starts. */
export function previousSpan({ from, to, granularity, timeZone }: TimeSpan): TimeSpan {
  const before =
    granularity === 'hour' ? from - (to - from) : addDays(from, -countDays({ from, to }), timeZone);
  return { from: before, to: from, granularity, timeZone };
}

/** The same, without what corresponds to the hours of this span that have not begun, so that counts of both can be compared. */
export function comparedSpan(span: TimeSpan, now: number): TimeSpan {
  const before = previousSpan(span);
  return { ...before, to: Math.max(before.from, before.to - Math.max(0, floor(span.to - now, hourMs))) };
}

interface RequestedSpan {
  from?: string | undefined;
  to?: string | undefined;
  granularity?: Granularity | undefined;
  timeZone?: string | undefined;
}

/** @throws AppError `invalid_request` when `from` is after `to`, the span is too long, or the time zone is not known. */
export function metricsSpan(
  { from, to, granularity, timeZone = 'UTC' }: RequestedSpan,
  now: number,
  longestLocal = longestLocalDays,
): TimeSpan {
  checkTimeZone(timeZone);
  const toMs = to === undefined ? now : Date.parse(to);
  const fromMs = from === undefined ? toMs - 7 * dayMs : Date.parse(from);
  const kind = granularity ?? (toMs - fromMs <= 2 * dayMs ? 'hour' : 'day');
  if (fromMs > toMs) throw invalidField('from', 'must not be after to');
  const longest = longestMetricsDays[kind];
  if (toMs - fromMs > (longest + 1) * dayMs)
    throw invalidField('from', `must be at most ${longest} days before to, by ${kind}`);
  if (kind === 'hour')
    return { from: floor(fromMs, hourMs), to: floor(toMs, hourMs) + hourMs, granularity: kind, timeZone };
  const zone = toMs - fromMs > (longestLocal + 1) * dayMs ? 'UTC' : timeZone;
  const end = addDays(startOfDay(toMs, zone), 1, zone);
  return { from: startOfDay(fromMs, zone), to: end, granularity: kind, timeZone: zone };
}

/** @throws AppError `invalid_request` */
export function checkTimeZone(timeZone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw invalidField('timeZone', 'must be an IANA time zone, for example Europe/Berlin');
  }
}

/** The starts of all hours or days of the span. */
export function stepsOf({ from, to, granularity, timeZone }: TimeSpan): number[] {
  if (granularity === 'hour' || isUtc(timeZone)) {
    const step = granularity === 'hour' ? hourMs : dayMs;
    return Array.from({ length: Math.round((to - from) / step) }, (_, index) => from + index * step);
  }
  return Array.from({ length: countDays({ from, to }) }, (_, index) => addDays(from, index, timeZone));
}

/** Finds the start of the hour or day that contains a time of the span. */
export function stepFinder(span: TimeSpan): (at: number) => number {
  if (span.granularity === 'hour') return (at) => floor(at, hourMs);
  if (isUtc(span.timeZone)) return (at) => floor(at, dayMs);
  const starts = stepsOf(span);
  return (at) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return starts[low] ?? at;
  };
}

/** Whether the steps of the span are days of UTC, whose sums are stored. */
export function usesUtcDays({ granularity, timeZone }: Pick<TimeSpan, 'granularity' | 'timeZone'>): boolean {
  return granularity === 'day' && isUtc(timeZone);
}

function isUtc(timeZone: string): boolean {
  return timeZone === 'UTC' || timeZone === 'Etc/UTC';
}

/** The largest multiple of `step` that is at most `ms`. */
export function floor(ms: number, step: number): number {
  return Math.floor(ms / step) * step;
}

/** How many days a span of whole days has, which may have 23 or 25 hours. */
function countDays({ from, to }: Pick<TimeSpan, 'from' | 'to'>): number {
  return Math.round((to - from) / dayMs);
}

/**
 * The start of the local day that contains a time. Rollups are by the hour, so in zones whose midnight is within an hour it is the
 * nearest hour: at most half an hour beside midnight.
 */
function startOfDay(at: number, timeZone: string): number {
  if (isUtc(timeZone)) return floor(at, dayMs);
  const own = midnightOf(at, timeZone);
  if (own > at) return addDays(own, -1, timeZone);
  const next = addDays(own, 1, timeZone);
  return next <= at ? next : own;
}

function addDays(start: number, days: number, timeZone: string): number {
  if (isUtc(timeZone)) return start + days * dayMs;
  // Twelve hours after its start a day is certainly not over, however long it is.
  const noon = Temporal.Instant.fromEpochMilliseconds(start + 12 * hourMs).toZonedDateTimeISO(timeZone);
  return nearestHour(noon.add({ days }).startOfDay().epochMilliseconds);
}

function midnightOf(at: number, timeZone: string): number {
  const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  return nearestHour(time.startOfDay().epochMilliseconds);
}

function nearestHour(ms: number): number {
  return Math.round(ms / hourMs) * hourMs;
}
