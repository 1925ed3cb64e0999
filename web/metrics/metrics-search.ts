import {
  branchClasses,
  granularities,
  longestMetricsDays,
  longestGroupName,
  metricGroupings,
  type BranchClass,
  type Granularity,
  type MetricGrouping,
} from '#contract/metrics/metrics.ts';
import { timeZone } from '../ui/locale.ts';
import { startOfDay } from '../ui/time/day.ts';
import { given, readChoice, readRange, readText } from '../app/search-values.ts';

/** Days back from now. Hourly data exists for at most two weeks. */
export const metricDays = [1, 2, 7, 14, 30, 90, 365] as const;
export type MetricDays = (typeof metricDays)[number];

export interface MetricsSearch {
  /** A chosen range instead of `days`. */
  from?: string | undefined;
  to?: string | undefined;
  days?: MetricDays | undefined;
  granularity?: Granularity | undefined;
  groupBy?: MetricGrouping | undefined;
  repository?: string | undefined;
  workflow?: string | undefined;
  branch?: BranchClass | undefined;
  runner?: string | undefined;
}

/** Reads the parameters from an address. Drops values that the server would refuse. */
export function readMetricsSearch(search: Record<string, unknown>): MetricsSearch {
  const text = (name: string) => readText(search[name], longestGroupName);
  const days = readText(search['days'], 3);
  return given({
    days: metricDays.find((each) => String(each) === days),
    ...readRange(search, longestMetricsDays.day),
    granularity: readChoice(granularities, search['granularity']),
    groupBy: readChoice(metricGroupings, search['groupBy']),
    branch: readChoice(branchClasses, search['branch']),
    repository: text('repository'),
    workflow: text('workflow'),
    runner: text('runner'),
  });
}

const hourMs = 3_600_000;
const stepMs = { hour: hourMs, day: 24 * hourMs } as const satisfies Record<Granularity, number>;
const hourDaysMost = 14;
/** The server counts the days of longer periods in UTC. */
const longestLocalDays = 92;
export const defaultDays = 30;

/**
 * The query for the server, with hours only where it has them. The current hour or day counts as one of the requested
 * ones, so the sums equal those of the overview. Within an hour the query stays the same, which the early start needs.
 */
export function metricsQuery(search: MetricsSearch, now: number): Record<string, string | undefined> {
  if (search.from !== undefined && search.to !== undefined) return rangeQuery(search, search.from, search.to);
  const { days = defaultDays, granularity = days <= 2 ? 'hour' : 'day', ...rest } = search;
  const step = mayShowHours(days) ? granularity : 'day';
  const isLocal = step === 'day' && days <= longestLocalDays;
  const from = isLocal
    ? startOfDay(now, 1 - days)
    : Math.floor((now - days * stepMs.day) / stepMs[step] + 1) * stepMs[step];
  return { ...rest, granularity: step, from: new Date(from).toISOString(), timeZone: timeZone() };
}

/** The server includes the hour or day that contains `to`, and a range ends before its end. */
function rangeQuery(search: MetricsSearch, from: string, to: string): Record<string, string | undefined> {
  const spanMs = Date.parse(to) - Date.parse(from);
  const { days: _days, granularity = spanMs <= 2 * stepMs.day ? 'hour' : 'day', ...rest } = search;
  const step = spanMs <= hourDaysMost * stepMs.day ? granularity : 'day';
  return {
    ...rest,
    granularity: step,
    from,
    to: new Date(Date.parse(to) - 1).toISOString(),
    timeZone: timeZone(),
  };
}

export const mayShowHours = (days: MetricDays = defaultDays): boolean => days <= hourDaysMost;
