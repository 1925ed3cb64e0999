import { workflowKey } from '../model/states.ts';
import type { Rows } from '../model/rows.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';

/** The workflow that a name on screen stands for, by the key of the model. */
export type Names = Map<string, string>;

export const shownName = (repository: string, workflow: string | null): string =>
  `${repository} / ${workflow ?? ''}`;

/** Each workflow must have one name everywhere, and no other workflow the same. */
export function namesOf({ runs }: Rows, shown: Shown, differences: Differences): Names {
  const names: Names = new Map();
  const keys = new Map<string, string>();
  for (const run of shown.runs) {
    const expected = runs.get(run.runId);
    if (expected === undefined) continue;
    const key = workflowKey(expected.newest);
    const name = shownName(run.repository, run.workflowName);
    const [otherKey, otherName] = [names.get(name), keys.get(key)];
    if (otherKey !== undefined && otherKey !== key) differences.add(`two workflows are shown as “${name}”`);
    if (otherName !== undefined && otherName !== name)
      differences.add(`one workflow is shown as “${name}” and as “${otherName}”`);
    names.set(name, key);
    keys.set(key, name);
  }
  return names;
}
