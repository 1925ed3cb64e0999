import { branchClasses, longestGroupName } from '#contract/metrics/metrics.ts';
import type { JobFilter } from '#contract/runs/jobs.ts';
import { given, readChoice, readText, readTime } from '../app/search-values.ts';

/** Reads the filter from an address. Drops values that the server would refuse. */
export function readJobSearch(search: Record<string, unknown>): JobFilter {
  // An empty name is one of a job without it.
  const text = (name: string) => (search[name] === '' ? '' : readText(search[name], longestGroupName));
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
    attempt: readChoice(['first', 'later', 'flip'], search['attempt']),
  });
}
