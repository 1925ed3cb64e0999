import { branchClasses, longestGroupName, type BranchClass } from '#contract/metrics/metrics.ts';
import { longestChangeDays } from '#contract/metrics/changes.ts';
import { timeZone } from '../ui/locale.ts';
import { startOfDay } from '../ui/time/day.ts';
import { given, readChoice, readRange, readText } from '../app/search-values.ts';

/** The periods of the metrics whose comparison is not too long. */
export const changeDays = [1, 2, 7, 14, 30, 90] as const;
export type ChangeDays = (typeof changeDays)[number];
export const defaultDays = 7;

export interface ChangesSearch {
  /** A chosen range instead of `days`. */
  from?: string | undefined;
  to?: string | undefined;
  days?: ChangeDays | undefined;
  repository?: string | undefined;
  workflow?: string | undefined;
  branch?: BranchClass | undefined;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Reads the parameters from an address. Drops values that the server would refuse. */
export function readChangesSearch(search: Record<string, unknown>): ChangesSearch {
  const days = readText(search['days'], 3);
  return given({
    days: changeDays.find((each) => String(each) === days),
    ...readRange(search, longestChangeDays),
    repository: readText(search['repository'], longestGroupName),
    workflow: readText(search['workflow'], longestGroupName),
    branch: readChoice(branchClasses, search['branch']),
  });
}

/** The query for the server. The hour or day in progress counts as one of the requested ones, as in the metrics. */
export function changesQuery(search: ChangesSearch, now: number): Record<string, string | undefined> {
  const { days = defaultDays, from, to, ...rest } = search;
  // A range ends before its end, and the server includes the hour or day that contains `to`.
  if (from !== undefined && to !== undefined)
    return { ...rest, from, to: new Date(Date.parse(to) - 1).toISOString(), timeZone: timeZone() };
  const start = days <= 2 ? now - days * dayMs + hourMs : startOfDay(now, 1 - days);
  return { ...rest, from: new Date(start).toISOString(), timeZone: timeZone() };
}
