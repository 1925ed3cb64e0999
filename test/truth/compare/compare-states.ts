import type { WorkflowState } from '../model/states.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';
import { shownName, type Names } from './names.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The wallboard. */
export function compareStates(
  states: readonly WorkflowState[],
  names: Names,
  { wall }: Shown,
  differences: Differences,
): void {
  differences.sameSet(
    'wallboard',
    wall.tiles.map(({ repository, workflow, state, last, failingSince, running }) =>
      tile({
        key: names.get(shownName(repository, workflow)) ?? `unknown ${repository} ${workflow}`,
        state,
        lastRunId: last?.runId ?? null,
        since: failingSince,
        isBuilding: running !== null,
      }),
    ),
    states.map((state) => tile({ ...state, since: iso(state.since) })),
  );
}

function tile({
  key,
  state,
  lastRunId,
  since,
  isBuilding,
}: Pick<WorkflowState, 'key' | 'state' | 'lastRunId' | 'isBuilding'> & { since: string | null }): string {
  return `${key} ${state}, last ${lastRunId}${since === null ? '' : `, since ${since}`}${isBuilding ? ', building' : ''}`;
}
