import type { FailureGroupQuery, GroupStatus } from '#contract/failures/failures.ts';
import { readText } from '../../app/search-values.ts';
import { statusLabels } from './group-status-texts.ts';

/** The filters of the failures page, as in its address. */
export type FailureSearch = {
  [Field in 'q' | 'repository' | 'workflow' | 'branch']?: string | undefined;
} & Pick<{ status?: GroupStatus | undefined }, 'status'>;

const maxLength = 255;
const texts = ['q', 'repository', 'workflow', 'branch'] as const satisfies (keyof FailureGroupQuery)[];

/** Reads the filters from an address. Drops values that the server would refuse. */
export function readFailureSearch(search: Record<string, unknown>): FailureSearch {
  const found: FailureSearch = {};
  for (const name of texts) {
    const text = readText(search[name], maxLength);
    if (text !== undefined) found[name] = text;
  }
  const { status } = search;
  if (typeof status === 'string' && Object.hasOwn(statusLabels, status)) found.status = status as GroupStatus;
  return found;
}
