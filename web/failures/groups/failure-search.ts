import type { GroupStatus } from '#contract/failures/failures.ts';
import { given, readChoice, readText } from '../../app/search-values.ts';
import { statusLabels } from './group-status-texts.ts';

/** The filters of the failures page, as in its address. */
export type FailureSearch = {
  q?: string | undefined;
  status?: GroupStatus | undefined;
  repository?: string | undefined;
  workflow?: string | undefined;
  branch?: string | undefined;
};

const maxLength = 255;
const statuses = Object.keys(statusLabels) as GroupStatus[];

export const readStatus = (value: unknown): GroupStatus | undefined => readChoice(statuses, value);

/** Reads the filters from an address. Drops values that the server would refuse. */
export function readFailureSearch(search: Record<string, unknown>): FailureSearch {
  const text = (name: string) => readText(search[name], maxLength);
  return given({
    q: text('q'),
    status: readStatus(search['status']),
    repository: text('repository'),
    workflow: text('workflow'),
    branch: text('branch'),
  });
}
