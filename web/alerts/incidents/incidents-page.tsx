import type { Incident } from '#contract/alerts/incidents.ts';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { ChoiceRow } from '../../ui/form/choice-row.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TextLink } from '../../ui/text/text-link.tsx';
import { usePages } from '../../api/use-pages.ts';
import { BlamedCommits } from '../../failures/blamed-commits.tsx';
import { WorkflowCell } from '../../runs/workflow-cell.tsx';
import { formatDuration } from '../../ui/time/format-duration.ts';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Message } from '../../ui/page/message.tsx';
import { MoreButton } from '../../ui/table/more-button.tsx';
import { actionsColumn, Table, type Column } from '../../ui/table/table.tsx';
import { Duration, TimeAgo } from '../../ui/time/time.tsx';
import { incidentsPath } from '../alert-paths.ts';
import type { IncidentSearch } from './incident-search.ts';
import { failureCounts, incidentTitle } from './incident-texts.ts';
import { IncidentState } from './incident-state.tsx';
import { useIncidentActions } from './use-incident-actions.tsx';
import { useLiveIncidents } from './use-incidents.ts';

const choices = [
  { value: 'open', label: 'Open' },
  { value: 'all', label: 'All' },
] as const;

/** Incidents of an integration, or of one workflow. */
export function IncidentsPage({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: IncidentSearch;
  onChange: (change: Partial<IncidentSearch>) => void;
}) {
  const { repository, workflow, status } = search;
  return (
    <>
      <PageHeader title={<PageTitle>Incidents</PageTitle>} end={<ConnectionMark />}>
        <ChoiceRow
          label="Status"
          value={status ?? 'all'}
          choices={choices}
          onChoose={(value) => onChange({ status: value === 'all' ? undefined : value })}
        />
      </PageHeader>
      <PageBody>
        {repository !== undefined && (
          <p className="flex flex-wrap gap-x-3 px-4 py-2 text-muted">
            <span>
              Of {workflow !== undefined && <bdi>{clip(workflow, 100)} in </bdi>}
              <bdi>{clip(repository, 100)}</bdi>
            </span>
            <TextLink
              to="/integrations/$integrationId/incidents"
              params={{ integrationId }}
              search={{ status }}
            >
              All workflows
            </TextLink>
          </p>
        )}
        <IncidentList integrationId={integrationId} search={search} />
      </PageBody>
    </>
  );
}

const askEveryMs = 15_000;

/** Open and resolved incidents. */
function IncidentList({ integrationId, search }: { integrationId: string; search: IncidentSearch }) {
  const { mayChange, renderActions, error, dialog } = useIncidentActions(integrationId);
  useLiveIncidents(integrationId);
  const query = { ...search };
  const { reading, more, isReadingMore } = usePages<Incident>(
    incidentsPath(integrationId),
    query,
    askEveryMs,
  );
  return (
    <>
      {error}
      <Loaded reading={reading} what="incidents" skeletonRows={3}>
        {(incidents) =>
          incidents.length === 0 ? (
            <Message title={search.status === undefined ? 'No incidents' : 'No open incidents'}>
              <p className="text-muted">
                An incident opens when a workflow fails on its default branch or a rule matches a failure. It
                closes on the next successful run.
              </p>
            </Message>
          ) : (
            <Table
              label="Incidents"
              columns={[
                ...incidentColumns,
                ...(mayChange ? [{ ...actionsColumn, renderCell: renderActions }] : []),
              ]}
              rows={incidents}
              rowKey={({ incidentId }) => incidentId}
              isTall
            />
          )
        }
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
      {dialog}
    </>
  );
}

const Spent = ({ ms }: { ms: number }) => <span className="whitespace-nowrap">{formatDuration(ms)}</span>;

const incidentColumns: readonly Column<Incident>[] = [
  {
    key: 'what',
    header: 'Workflow',
    className: 'columns:min-w-36',
    renderCell: (incident) => (
      <WorkflowCell
        runId={incident.firstFailure.runId}
        workflow={incidentTitle(incident)}
        repository={incident.repository}
        branch={incident.branch}
      />
    ),
  },
  {
    key: 'status',
    header: 'Status',
    className: 'columns:min-w-28 xl:whitespace-nowrap',
    renderCell: ({ status, closeReason, redMs, openedAt }) =>
      status === 'closed' && closeReason !== 'recovered' ? (
        <span className="text-muted">
          Closed after <Spent ms={redMs} />
        </span>
      ) : status === 'open' ? (
        <span className="text-failed">
          Open for{' '}
          <span className="whitespace-nowrap">
            <Duration ms={null} since={openedAt} />
          </span>
        </span>
      ) : (
        <span className="text-passed">
          Resolved after <Spent ms={redMs} />
        </span>
      ),
  },
  {
    key: 'count',
    header: 'Failures',
    className: 'text-muted max-xl:min-w-18 xl:min-w-27',
    renderCell: (incident) =>
      incident.kind === 'failure' ? failureCounts(incident) : <bdi>{incident.firstFailure.name}</bdi>,
  },
  {
    key: 'commits',
    header: 'First bad commit',
    className: 'text-muted',
    renderCell: (incident) =>
      incident.kind === 'failure' && incident.status === 'open' && <BlamedCommits {...incident} />,
  },
  {
    key: 'state',
    header: 'State',
    className: 'columns:min-w-32',
    renderCell: (incident) => <IncidentState incident={incident} />,
  },
  {
    key: 'opened',
    header: 'Since',
    className: 'text-muted',
    renderCell: ({ openedAt }) => <TimeAgo time={openedAt} isFocusable />,
  },
];
