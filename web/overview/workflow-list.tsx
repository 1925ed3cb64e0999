import type { OverviewWorkflow } from '#contract/metrics/overview.ts';
import { RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, workflowFilter, type Period } from '../runs/period.ts';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { formatMeasured } from '../ui/time/format-duration.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { RunStrip } from './run-strip.tsx';
import { formatCount, formatNumber } from '../ui/locale.ts';

/** The workflows with the most runs, each with its last runs. */
export function WorkflowList({
  period,
  workflows,
  isHeld,
}: {
  period: Period;
  workflows: readonly OverviewWorkflow[];
  isHeld: boolean;
}) {
  if (workflows.length === 0)
    return <p className="px-4 py-2 text-muted">No completed runs in this period.</p>;
  return (
    <Table
      label="Workflows"
      columns={columnsFor(period)}
      rows={workflows}
      isHeld={isHeld}
      rowKey={({ repository, workflow }) => JSON.stringify([repository, workflow])}
    />
  );
}

const columnsFor = (period: Period): Column<OverviewWorkflow>[] => [
  {
    key: 'workflow',
    header: 'Workflow',
    renderCell: ({ workflow, repository }) => <WorkflowName repository={repository} workflow={workflow} />,
    sortBy: ({ workflow }) => workflow,
  },
  {
    key: 'strip',
    header: 'Last runs, newest at the end',
    renderCell: ({ lastRuns, workflow }) => <RunStrip runs={lastRuns} workflow={workflow} />,
  },
  {
    key: 'runs',
    header: 'Runs',
    className: 'text-muted',
    sortBy: ({ failed, runs }) => failed + runs / 1e9,
    renderCell: ({ runs, failed, ...name }) => {
      const filter = { ...workflowFilter(name), ...period };
      return (
        <>
          <RunsLink count={runs} filter={filter}>
            {formatCount(runs, 'run')}
          </RunsLink>
          {failed > 0 && (
            <>
              ,{' '}
              <RunsLink count={failed} filter={{ ...filter, ...failedOnly }}>
                {formatNumber(failed)} failed
              </RunsLink>
            </>
          )}
        </>
      );
    },
  },
  {
    key: 'duration',
    header: 'Duration p50',
    isAtEnd: true,
    className: 'text-muted',
    sortBy: ({ durationP50Ms }) => durationP50Ms,
    renderCell: ({ durationP50Ms }) => formatMeasured(durationP50Ms),
  },
];
