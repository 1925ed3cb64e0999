import {
  granularities,
  metricGroupings,
  type Granularity,
  type MetricGrouping,
} from '#contract/metrics/metrics.ts';

/** Days back from now. Hourly data exists for at most two weeks. */
export const metricDays = [2, 7, 14, 30, 90, 365] as const;
export type MetricDays = (typeof metricDays)[number];

export interface MetricsSearch {
  days?: MetricDays | undefined;
  granularity?: Granularity | undefined;
  groupBy?: MetricGrouping | undefined;
  repository?: string | undefined;
  workflow?: string | undefined;
  branch?: 'default' | 'other' | undefined;
  runner?: string | undefined;
}

const maxLength = 500;

/** Reads the parameters from an address. Drops values that the server would refuse. */
export function readMetricsSearch(search: Record<string, unknown>): MetricsSearch {
  const days = metricDays.find((each) => String(each) === String(search['days']));
  const granularity = granularities.find((each) => each === search['granularity']);
  const groupBy = metricGroupings.find((each) => each === search['groupBy']);
  const branch = (['default', 'other'] as const).find((each) => each === search['branch']);
  return {
    ...(days === undefined ? {} : { days }),
    ...(granularity === undefined ? {} : { granularity }),
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(branch === undefined ? {} : { branch }),
    ...textOf(search, 'repository'),
    ...textOf(search, 'workflow'),
    ...textOf(search, 'runner'),
  };
}

function textOf<Name extends string>(search: Record<string, unknown>, name: Name): { [N in Name]?: string } {
  const value = typeof search[name] === 'number' ? String(search[name]) : search[name];
  const isText = typeof value === 'string' && value !== '' && value.length <= maxLength;
  return (isText ? { [name]: value } : {}) as { [N in Name]?: string };
}

const hourMs = 3_600_000;
const stepMs = { hour: hourMs, day: 24 * hourMs } as const satisfies Record<Granularity, number>;
const hourDaysMost = 14;
export const defaultDays = 30;

/**
 * The query for the server, with hours only where it has them. The current hour or day counts as one of the requested
 * ones, and the server includes the one that contains `from`, so the sums equal those of the overview.
 */
export function metricsQuery(search: MetricsSearch, now: number): Record<string, string | undefined> {
  const { days = defaultDays, granularity = days <= 2 ? 'hour' : 'day', ...rest } = search;
  const step = mayShowHours(days) ? granularity : 'day';
  const from = new Date(now - days * stepMs.day + stepMs[step]);
  return { ...rest, granularity: step, from: from.toISOString() };
}

export const mayShowHours = (days: MetricDays = defaultDays): boolean => days <= hourDaysMost;
