import type { RunFilter } from '#contract/runs/run-filter.ts';
import { maxFilterLength, maxSearchLength, runFacets } from '#contract/runs/run-facets.ts';
import { readNumber, readText, readTime } from '../../app/search-values.ts';

const textNames = [...runFacets, 'q'] as const;
const timeNames = ['from', 'to', 'completedFrom', 'completedTo'] as const;

/** Reads the filter from an address. Drops values that the server would refuse, so that old links still open. */
export function readRunSearch(search: Record<string, unknown>): RunFilter {
  const filter: RunFilter = {};
  for (const name of textNames) {
    const text = readText(search[name], name === 'q' ? maxSearchLength : maxFilterLength);
    if (text !== undefined) filter[name] = text;
  }
  for (const name of timeNames) {
    const time = readTime(search[name]);
    if (time !== undefined) filter[name] = time;
  }
  const pullRequest = readNumber(search['pullRequest']);
  if (pullRequest !== undefined) filter.pullRequest = pullRequest;
  const { branchClass, attempt } = search;
  if (branchClass === 'default' || branchClass === 'other') filter.branchClass = branchClass;
  if (attempt === 'first' || attempt === 'later') filter.attempt = attempt;
  return filter;
}
