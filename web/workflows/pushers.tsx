import { only } from '#contract/base/value-list.ts';
import { RunsLink } from '../runs/figure-link.tsx';
import { formatCount } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import type { WorkflowData } from './use-workflow.ts';

const shown = 8;

/** The people whose pushes and pull requests started most runs: the ones to ask about the workflow. */
export function Pushers({
  people: { counted, complete, facets, filter },
}: {
  people: WorkflowData['people'];
}) {
  return (
    <>
      <p className="px-4 text-muted">
        By pushes and pull requests in the period
        {!complete && `, counted in the newest ${formatCount(counted, 'run')} of the integration`}. Who wrote
        the workflow file is not known.
      </p>
      <ul className="flex flex-wrap gap-x-6 gap-y-2 px-4 pt-2">
        {facets.actor.slice(0, shown).map(({ value, count }) => (
          <li key={value}>
            <bdi className="font-medium">{clip(value, 60)}</bdi>{' '}
            <RunsLink count={complete ? count : undefined} filter={{ ...filter, actor: only(value) }}>
              {formatCount(count, 'run')}
            </RunsLink>
          </li>
        ))}
      </ul>
    </>
  );
}
