import type { IncidentRow } from '../model/incidents.ts';
import type { Shown } from '../product/shown.ts';
import { Differences } from './differences.ts';
import { shownName, type Names } from './names.ts';

/** The answer must be one of the right ones; the differences are from the first. */
export function compareIncidents(
  expected: readonly (readonly IncidentRow[])[],
  names: Names,
  { incidents }: Shown,
  differences: Differences,
): void {
  const shown = incidents.map(({ repository, workflow, branch, ...incident }) =>
    textOf({
      ...incident,
      workflow: names.get(shownName(repository, workflow)) ?? `unknown ${repository} ${workflow}`,
      branch: branch ?? '',
      openedAt: Date.parse(incident.openedAt),
    }),
  );
  const found = expected.map((rows) => {
    const own = new Differences();
    own.sameSet('incidents', shown, rows.map(textOf));
    return own.lines;
  });
  if (found.every(({ length }) => length > 0)) for (const line of found[0] ?? []) differences.add(line);
}

function textOf({ workflow, branch, openedAt, closedByRunId, failedRuns, failedJobs }: IncidentRow): string {
  const end = closedByRunId === null ? 'open' : `closed by run ${closedByRunId}`;
  return `${workflow} on ${branch} since ${new Date(openedAt).toISOString()}, ${failedRuns} runs and ${failedJobs} jobs, ${end}`;
}
