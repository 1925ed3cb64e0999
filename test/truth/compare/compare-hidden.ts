import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';
import { shownName, type Names } from './names.ts';

/**
 * No incident of a hidden workflow stays open. Which ones it had depends on when somebody hid it, so the rest of the comparison goes on
 * without them.
 */
export function withoutHidden(
  hidden: ReadonlySet<string>,
  names: Names,
  shown: Shown,
  differences: Differences,
): Shown {
  const isHidden = ({ repository, workflow }: Shown['incidents'][number]): boolean =>
    hidden.has(names.get(shownName(repository, workflow)) ?? '');
  for (const incident of shown.incidents)
    if (incident.status === 'open' && isHidden(incident))
      differences.add(
        `incidents: open, and its workflow is hidden: ${incident.workflow} on ${incident.branch}`,
      );
  return { ...shown, incidents: shown.incidents.filter((incident) => !isHidden(incident)) };
}
