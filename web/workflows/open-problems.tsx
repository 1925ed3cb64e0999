import type { Incident } from '#contract/alerts/incidents.ts';
import type { FailureGroup } from '#contract/failures/failures.ts';
import { IncidentStateLink } from '../alerts/incidents/incident-state.tsx';
import { incidentProblem } from '../alerts/incidents/incident-texts.ts';
import { FailingJob } from '../failures/failing-job.tsx';
import { GroupTable } from '../failures/groups/group-table.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { TextLink } from '../ui/text/text-link.tsx';
import { TimeAgo } from '../ui/time/time.tsx';

/** Open incidents and failure groups of the workflow. Nothing without any. */
export function OpenProblems({
  integrationId,
  name,
  incidents,
  failures,
}: {
  integrationId: string;
  name: { repository: string; workflow: string };
  incidents: readonly Incident[];
  failures: readonly FailureGroup[];
}) {
  return (
    <>
      {incidents.length > 0 && (
        <PagePart title="Open incidents">
          <Table
            label="Open incidents"
            hasRowLinks
            columns={columns}
            rows={incidents}
            rowKey={({ incidentId }) => incidentId}
          />
        </PagePart>
      )}
      {failures.length > 0 && (
        <PagePart
          title="Open failures"
          end={
            <TextLink to="/integrations/$integrationId/failures" params={{ integrationId }} search={name}>
              All failures
            </TextLink>
          }
        >
          <GroupTable integrationId={integrationId} groups={failures} isCut />
        </PagePart>
      )}
    </>
  );
}

const columns: readonly Column<Incident>[] = [
  {
    key: 'branch',
    header: 'Branch',
    renderCell: ({ branch, lastFailure }) => (
      <RunLink runId={lastFailure.runId} className="row-link font-mono text-xs">
        <bdi>{clip(branch ?? 'No branch', 60)}</bdi>
      </RunLink>
    ),
  },
  {
    key: 'failing',
    header: 'Failing',
    className: 'columns:w-1/2',
    renderCell: (incident) => (
      <FailingJob failing={incident.failing} problem={clip(incidentProblem(incident), 200)} />
    ),
  },
  { key: 'state', header: 'State', renderCell: (incident) => <IncidentStateLink incident={incident} /> },
  {
    key: 'since',
    header: 'Since',
    isAtEnd: true,
    className: 'text-muted',
    renderCell: ({ openedAt }) => (
      <span className="relative z-1">
        <TimeAgo time={openedAt} isFocusable />
      </span>
    ),
  },
];
