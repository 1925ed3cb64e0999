import type { RunFilter } from '#contract/runs/run-filter.ts';
import { maxFilterLength, maxSearchLength, runFacets } from '#contract/runs/run-facets.ts';
import { given, readChoice, readNumber, readText, readTime } from '../../app/search-values.ts';

/** Reads the filter from an address. Drops values that the server would refuse, so that old links still open. */
export function readRunSearch(search: Record<string, unknown>): RunFilter {
  const facets = runFacets.map((name) => [name, readText(search[name], maxFilterLength)]);
  return given<RunFilter>({
    ...Object.fromEntries(facets),
    q: readText(search['q'], maxSearchLength),
    from: readTime(search['from']),
    to: readTime(search['to']),
    completedFrom: readTime(search['completedFrom']),
    completedTo: readTime(search['completedTo']),
    pullRequest: readNumber(search['pullRequest']),
    branchClass: readChoice(['default', 'other'], search['branchClass']),
    attempt: readChoice(['first', 'later'], search['attempt']),
  });
}
