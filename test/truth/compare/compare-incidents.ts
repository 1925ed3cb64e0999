import type { IncidentRow } from '../model/incidents.ts';
import type { WorkflowState } from '../model/states.ts';
import type { Shown } from '../product/shown.ts';
import { Differences } from './differences.ts';
import { shownName, type Names } from './names.ts';

/** The answer must be one of the right ones; the differences are from the first. Where a success overtook failures, only the open ones count. */
export function compareIncidents(
  {
    expected,
    ended,
    unsure,
    overtaken,
  }: {
    expected: readonly (readonly IncidentRow[])[];
    ended: ReadonlySet<string>;
    unsure: ReadonlySet<string>;
    overtaken: ReadonlySet<string>;
  },
  names: Names,
  { incidents }: Shown,
  differences: Differences,
): void {
  // A run that is superseded before its failure is counted has none; where the newer run is late, it is closed as that.
  const standing = incidents.filter(({ closeReason }) => closeReason !== 'superseded');
  const shown = standing.map(({ repository: shownRepository, workflow, branch, ...incident }) => {
    const key = names.get(shownName(shownRepository, workflow)) ?? `unknown ${shownRepository} ${workflow}`;
    const repository = key.split(' ').slice(0, 2).join(' ');
    const openedAt = Date.parse(incident.openedAt);
    const isOpen = incident.status === 'open';
    return { ...incident, repository, workflow: key, branch: branch ?? '', openedAt, isOpen };
  });
  // How many incidents a branch had before its pull request ended depends on when that is noticed. None stays open.
  const isEnded = ({ repository, branch }: Pick<IncidentRow, 'repository' | 'branch'>): boolean =>
    ended.has(`${repository} ${branch}`);
  for (const incident of shown)
    if (isEnded(incident) && incident.isOpen) differences.add(`incidents: is open: ${textOf(incident)}`);
  const isCompared = (row: Omit<IncidentRow, 'openedAt' | 'failedRuns' | 'failedJobs'>): boolean =>
    !isEnded(row) &&
    !unsure.has(`${row.repository} ${row.branch}`) &&
    (row.closedByRunId === null || !overtaken.has(`${row.workflow} ${row.branch}`));
  const found = expected.map((rows) => {
    const own = new Differences();
    own.sameSet('incidents', shown.filter(isCompared).map(textOf), rows.filter(isCompared).map(textOf));
    return own.lines;
  });
  if (found.every(({ length }) => length > 0)) for (const line of found[0] ?? []) differences.add(line);
}

/** Each red workflow has an open incident, whether or not there is a rule. */
export function compareRedBranches(
  states: readonly WorkflowState[],
  names: Names,
  { incidents }: Shown,
  differences: Differences,
): void {
  const red = new Set(states.flatMap(({ key, state }) => (state === 'failed' ? [key] : [])));
  const open = new Set(
    incidents.flatMap(({ repository, workflow, status }) =>
      status === 'open' ? [names.get(shownName(repository, workflow)) ?? ''] : [],
    ),
  );
  for (const key of red) if (!open.has(key)) differences.add(`incidents: red without one: ${key}`);
}

function textOf({
  workflow,
  branch,
  openedAt,
  closedByRunId,
  failedRuns,
  failedJobs,
}: Omit<IncidentRow, 'repository'>): string {
  const since = `${workflow} on ${branch} since ${new Date(openedAt).toISOString()}`;
  return closedByRunId === null
    ? `${since}, open, ${failedRuns} failed runs, ${failedJobs} failed jobs`
    : `${since}, closed by run ${closedByRunId}`;
}
