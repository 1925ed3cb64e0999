import { repositoriesOf, workflowKey } from '../model/states.ts';
import type { Received, Rows } from '../model/rows.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';

/** The workflow that a name on screen stands for, by the key of the model. */
export type Names = Map<string, string>;

export const shownName = (repository: string, workflow: string | null): string =>
  `${repository} / ${workflow ?? ''}`;

/**
 * Each workflow must have its newest name everywhere, and no other workflow the same: then its file stands beside it. Where another
 * repository has taken the name of one, that one's id stands beside its name.
 */
export function namesOf(
  { runs }: Rows,
  received: readonly Received[],
  shown: Shown,
  differences: Differences,
): Names {
  const newest = newestNames(received);
  const own = [...newest.values()].map(({ repository, workflow }) => shownName(repository, workflow));
  const names: Names = new Map();
  const keys = new Map<string, string>();
  for (const run of shown.runs) {
    const expected = runs.get(run.runId);
    if (expected === undefined) continue;
    const key = workflowKey(expected.newest);
    const name = shownName(run.repository, run.workflowName);
    const { repository = '', workflow = '' } = newest.get(key) ?? {};
    const its = shownName(repository, workflow);
    const isShared = own.filter((each) => each === its).length > 1;
    const isIts = name === its || (isShared && name.startsWith(`${its} (`) && name.endsWith(')'));
    if (!isIts) differences.add(`“${its}” is shown as “${name}”`);
    const [otherKey, otherName] = [names.get(name), keys.get(key)];
    if (otherKey !== undefined && otherKey !== key) differences.add(`two workflows are shown as “${name}”`);
    if (otherName !== undefined && otherName !== name)
      differences.add(`one workflow is shown as “${name}” and as “${otherName}”`);
    names.set(name, key);
    keys.set(key, name);
  }
  return names;
}

/** By the newest event about each. */
function newestNames(received: readonly Received[]): Map<string, { repository: string; workflow: string }> {
  const repositories = shownRepositories(received);
  const names = new Map<string, { repository: string; workflow: string }>();
  for (const { fact } of received.toSorted((one, other) => one.order - other.order)) {
    if (fact.kind !== 'run') continue;
    const { host, id, fullName } = fact.repository;
    const repository = repositories.get(`${host} ${id}`) ?? fullName;
    names.set(workflowKey(fact), { repository, workflow: fact.workflow.name });
  }
  return names;
}

/** A forge has one repository of a name at a time. The name is shown for the one that got it last. */
function shownRepositories(received: readonly Received[]): Map<string, string> {
  const named = [...repositoriesOf(received)].map(([key, { id, host, fullName }]) => {
    const orders = received.flatMap(({ order, fact: { repository } }) =>
      repository.host === host && repository.id === id && repository.fullName === fullName ? [order] : [],
    );
    return { key, id, fullName, since: Math.min(...orders) };
  });
  return new Map(
    named.map(({ key, id, fullName, since }) => {
      const isTaken = named.some((each) => each.fullName === fullName && each.since > since);
      return [key, isTaken ? `${fullName} (${id})` : fullName];
    }),
  );
}
