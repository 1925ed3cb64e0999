import { given, readChoice, readText } from '../../app/search-values.ts';

/** What the list of incidents is limited to. */
export interface IncidentSearch {
  repository?: string | undefined;
  workflow?: string | undefined;
  status?: 'open' | undefined;
}

/** Longer names are no filter of incidents. */
const longest = 255;

export function readIncidentSearch({
  repository,
  workflow,
  status,
}: Record<string, unknown>): IncidentSearch {
  return given({
    repository: readText(repository, longest),
    workflow: readText(workflow, longest),
    status: readChoice(['open'], status),
  });
}
