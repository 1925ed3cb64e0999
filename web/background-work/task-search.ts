import { taskFilters, taskKinds, type TaskFilter, type TaskKindName } from '#contract/integrations/tasks.ts';

/** What the list is limited to. */
export interface TaskSearch {
  state?: TaskFilter | undefined;
  kind?: TaskKindName | undefined;
}

export const kindNames = Object.keys(taskKinds) as TaskKindName[];

/** Reads the filter from an address. Drops values that the server would refuse. */
export function readTaskSearch({ state, kind }: Record<string, unknown>): TaskSearch {
  const knownState = taskFilters.find((each) => each === state);
  const knownKind = kindNames.find((each) => each === kind);
  return { ...(knownState && { state: knownState }), ...(knownKind && { kind: knownKind }) };
}
