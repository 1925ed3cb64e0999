import type { Incident } from '#contract/alerts/incidents.ts';
import { usePages } from '../api/use-pages.ts';
import { WorkflowCell } from '../runs/workflow-cell.tsx';
import { formatDuration } from '../ui/time/format-duration.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { Duration, TimeAgo } from '../ui/time/time.tsx';
import { incidentsPath } from './alert-queries.ts';

const askEveryMs = 5000;

/** Open and resolved incidents. */
export function IncidentList({ integrationId }: { integrationId: string }) {
  const { reading, more, isReadingMore } = usePages<Incident>(incidentsPath(integrationId), {}, askEveryMs);
  return (
    <>
      <Loaded reading={reading} what="incidents" skeletonRows={3}>
        {(incidents) =>
          incidents.length === 0 ? (
            <p className="px-4 py-2 text-muted">
              No incidents. An incident opens when a rule matches a failure and closes on the next successful
              run.
            </p>
          ) : (
            <Table
              label="Incidents"
              columns={columnsFor(integrationId)}
              rows={incidents}
              rowKey={({ incidentId }) => incidentId}
            />
          )
        }
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
    </>
  );
}

function columnsFor(integrationId: string): Column<Incident>[] {
  return [
    {
      key: 'what',
      header: 'Workflow',
      renderCell: ({ firstFailure, ...row }) => (
        <WorkflowCell
          integrationId={integrationId}
          runId={firstFailure.runId}
          workflow={row.workflow}
          repository={row.repository}
          branch={row.branch}
        />
      ),
    },
    {
      key: 'status',
      header: 'Status',
      renderCell: ({ status, redMs, openedAt }) =>
        status === 'open' ? (
          <span className="text-failed">
            Open for <Duration ms={null} since={openedAt} />
          </span>
        ) : (
          <span className="text-passed">Resolved after {formatDuration(redMs)}</span>
        ),
    },
    {
      key: 'count',
      header: 'Failures',
      className: 'text-muted',
      renderCell: ({ failedRuns, failedJobs }) =>
        [counted(failedRuns, 'run'), counted(failedJobs, 'job')].filter((text) => text !== '').join(', '),
    },
    {
      key: 'opened',
      header: 'Since',
      isAtEnd: true,
      className: 'text-muted',
      renderCell: ({ openedAt }) => <TimeAgo time={openedAt} isFocusable />,
    },
  ];
}

const counted = (count: number, what: string): string =>
  count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`;
