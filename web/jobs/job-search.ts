import { branchClasses, longestGroupName } from '#contract/metrics/metrics.ts';
import type { JobFilter } from '#contract/runs/jobs.ts';
import { given, readChoice, readText, readTime } from '../app/search-values.ts';

// An empty name is one of a job without it.
const readName = (search: Record<string, unknown>, name: string) =>
  search[name] === '' ? '' : readText(search[name], longestGroupName);

export function readQueueSearch(search: Record<string, unknown>): { runner?: string | undefined } {
  return given({ runner: readName(search, 'runner') });
}

/** Reads the filter from an address. Drops values that the server would refuse. */
export function readJobSearch(search: Record<string, unknown>): JobFilter {
  const text = (name: string) => readName(search, name);
  return given({
    repository: text('repository'),
    workflow: text('workflow'),
    job: text('job'),
    runner: text('runner'),
    runnerName: text('runnerName'),
    conclusion: text('conclusion'),
    completedFrom: readTime(search['completedFrom']),
    completedTo: readTime(search['completedTo']),
    branchClass: readChoice(branchClasses, search['branchClass']),
    queueTime: readChoice(['counted'], search['queueTime']),
    attempt: readChoice(['first', 'later', 'flip'], search['attempt']),
  });
}
