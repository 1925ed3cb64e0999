import { longestHealthDays, lostKinds, redEndings, type LostKind } from '#contract/metrics/health.ts';
import { longestGroupName } from '#contract/metrics/metrics.ts';
import { given, readChoice, readRange, readText } from '../app/search-values.ts';
import { timeZone } from '../ui/locale.ts';
import { startOfDay } from '../ui/time/day.ts';

export const healthDays = [7, 14, 30, 90] as const;
export type HealthDays = (typeof healthDays)[number];
export const defaultDays = 30;

/** How a red period ended, or that it has not. */
export const shownEndings = [...redEndings, 'open'] as const;
export type ShownEnding = (typeof shownEndings)[number];

/** Merged pull requests by what is known of them. */
export const shownPulls = ['reviewed', 'approved', 'green', 'reworked', 'checked'] as const;
export type ShownPulls = (typeof shownPulls)[number];

/** Deployments by what became of them. */
export const shownDeployments = ['deployed', 'failed', 'recovered', 'unknown', 'notDeployed'] as const;
export type ShownDeployments = (typeof shownDeployments)[number];

export interface HealthSearch {
  /** A chosen range instead of `days`. */
  from?: string | undefined;
  to?: string | undefined;
  days?: HealthDays | undefined;
  repository?: string | undefined;
  branch?: string | undefined;
  /** Lists only the red periods that ended so. */
  ended?: ShownEnding | undefined;
  /** Lists only these merged pull requests. */
  pulls?: ShownPulls | undefined;
  /** Lists only the runs that lost minutes so. */
  lost?: LostKind | undefined;
  /** Lists only these deployments. */
  deployments?: ShownDeployments | undefined;
}

/** Reads the parameters from an address. Drops values that the server would refuse. */
export function readHealthSearch(search: Record<string, unknown>): HealthSearch {
  const days = readText(search['days'], 2);
  return given({
    days: healthDays.find((each) => String(each) === days),
    ...readRange(search, longestHealthDays),
    repository: readText(search['repository'], longestGroupName),
    branch: readText(search['branch'], longestGroupName),
    ended: readChoice(shownEndings, search['ended']),
    pulls: readChoice(shownPulls, search['pulls']),
    lost: readChoice(lostKinds, search['lost']),
    deployments: readChoice(shownDeployments, search['deployments']),
  });
}

/** The query for the server. Today counts as one of the requested days. */
export function healthQuery(search: HealthSearch, now: number): Record<string, string | undefined> {
  const { days = defaultDays, from, to, repository, branch } = search;
  const shared = { repository, branch, timeZone: timeZone() };
  // A range ends before its end, and the server includes the day that contains `to`.
  if (from !== undefined && to !== undefined)
    return { ...shared, from, to: new Date(Date.parse(to) - 1).toISOString() };
  return { ...shared, from: new Date(startOfDay(now, 1 - days)).toISOString() };
}
