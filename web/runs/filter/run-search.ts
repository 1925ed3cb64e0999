import { maxFilterLength, maxSearchLength, runFacets, type RunFilter } from '#contract/runs/run-filter.ts';

const textNames = [...runFacets, 'q'] as const;
const timeNames = ['from', 'to'] as const;

/** Reads the filter from an address. Drops values that the server would refuse, so that old links still open. */
export function readRunSearch(search: Record<string, unknown>): RunFilter {
  const filter: RunFilter = {};
  for (const name of textNames) {
    const value = textOf(search[name]);
    if (value !== undefined && value.length <= (name === 'q' ? maxSearchLength : maxFilterLength))
      filter[name] = value;
  }
  for (const name of timeNames) {
    const time = Date.parse(textOf(search[name]) ?? '');
    if (!Number.isNaN(time)) filter[name] = new Date(time).toISOString();
  }
  const pullRequest = Number(textOf(search['pullRequest']));
  if (Number.isSafeInteger(pullRequest) && pullRequest > 0) filter.pullRequest = pullRequest;
  return filter;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
