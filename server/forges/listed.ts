import { isFields, type Fields } from '#platform/runtime/json-fields.ts';
import type { PullRequestPage, RunPage } from './port.ts';

/** Objects without the fields that are read are left out: one of them must not block the others. */

export function listedRuns(list: unknown): RunPage['runs'] {
  return listed(list).filter(
    (run): run is Fields & { id: number; created_at: string } =>
      typeof run['id'] === 'number' && typeof run['created_at'] === 'string',
  );
}

export function listedPullRequests(list: unknown): PullRequestPage['pullRequests'] {
  return listed(list).filter(
    (pull): pull is Fields & { updated_at: string; merged_at: string | null } =>
      typeof pull['updated_at'] === 'string',
  );
}

export function listed(list: unknown): Fields[] {
  return Array.isArray(list) ? list.filter(isFields) : [];
}
