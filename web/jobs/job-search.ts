import { longestGroupName } from '#contract/metrics/metrics.ts';
import type { JobFilter } from '#contract/runs/jobs.ts';

const textNames = ['repository', 'workflow', 'job', 'runner', 'runnerName', 'conclusion'] as const;
const timeNames = ['completedFrom', 'completedTo'] as const;

/** Reads the filter from an address. Drops values that the server would refuse. */
export function readJobSearch(search: Record<string, unknown>): JobFilter {
  const filter: JobFilter = {};
  for (const name of textNames) {
    const value = typeof search[name] === 'number' ? String(search[name]) : search[name];
    if (typeof value === 'string' && value.length <= longestGroupName) filter[name] = value;
  }
  for (const name of timeNames) {
    const time = Date.parse(String(search[name]));
    if (!Number.isNaN(time)) filter[name] = new Date(time).toISOString();
  }
  const { branchClass, attempt } = search;
  if (branchClass === 'default' || branchClass === 'other') filter.branchClass = branchClass;
  if (attempt === 'first' || attempt === 'later' || attempt === 'flip') filter.attempt = attempt;
  return filter;
}
