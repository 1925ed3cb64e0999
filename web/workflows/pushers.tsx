import { Link } from '@tanstack/react-router';
import { only } from '#contract/base/value-list.ts';
import type { WorkflowFacets } from '#contract/runs/runs.ts';
import { workflowFilter } from '../runs/period.ts';
import { formatNumber } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';

const shown = 8;

/** The people whose pushes and pull requests started most runs: the ones to ask about the workflow. */
export function Pushers({
  integrationId,
  people: { counted, complete, facets },
  name,
}: {
  integrationId: string;
  people: WorkflowFacets;
  name: { repository: string; workflow: string };
}) {
  return (
    <>
      <p className="px-4 text-muted">
        By pushes and pull requests, counted in {complete ? 'all' : 'the newest'} {formatNumber(counted)} runs
        that these started in the period. Who wrote the workflow file is not known.
      </p>
      <ul className="flex flex-wrap gap-x-6 gap-y-2 px-4 pt-2">
        {facets.actor.slice(0, shown).map(({ value, count }) => (
          <li key={value}>
            <Link
              to="/integrations/$integrationId/runs"
              params={{ integrationId }}
              search={{ ...workflowFilter(name), actor: only(value) }}
              className="font-medium hover:underline"
            >
              <bdi>{clip(value, 60)}</bdi>
            </Link>{' '}
            <span className="text-muted">{count === 1 ? '1 run' : `${formatNumber(count)} runs`}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
