import type { Incident } from '#contract/alerts/incidents.ts';
import { IncidentStateLink } from '../alerts/incidents/incident-state.tsx';
import { useIncidentActions } from '../alerts/incidents/use-incident-actions.tsx';
import { useInboxKeys } from '../alerts/incidents/use-inbox-keys.ts';
import { BlamedCommits } from '../failures/blamed-commits.tsx';
import { FailingJob } from '../failures/failing-job.tsx';
import { useUser } from '../identity/use-user.ts';
import { RerunFailed } from '../runs/actions/rerun-failed.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { actionsColumn, Table, type Column } from '../ui/table/table.tsx';
import { TimeAgo } from '../ui/time/time.tsx';
import type { RedRow } from './red-rows.ts';

/** What is broken and why, since which commit, and who works on it. Each row opens its newest failed run. */
export function RedList({
  integrationId,
  rows,
  onChange,
}: {
  integrationId: string;
  rows: readonly RedRow[];
  /** Called before a change by this person. */
  onChange: (incident: Incident) => void;
}) {
  const { mayChange, change, renderActions, error, dialog } = useIncidentActions(integrationId, onChange);
  const { data: user } = useUser();
  useInboxKeys(rows, {
    // The button exists where the forge is connected.
    r: ({ key }) =>
      document.getElementById(key)?.closest('tr')?.querySelector<HTMLElement>('[data-rerun]')?.click(),
    a: ({ incident }) =>
      mayChange && incident && change(incident, { acknowledged: incident.acknowledged === null }),
    m: ({ incident }) =>
      mayChange &&
      incident &&
      user &&
      change(incident, { assigneeId: incident.assignee?.userId === user.userId ? null : user.userId }),
  });
  const askable = firstRepositories(rows);
  const actions: Column<RedRow> = {
    ...actionsColumn,
    renderCell: (row) => (
      <span className="relative z-1 inline-flex max-xl:flex-wrap max-xl:justify-end">
        {row.commits && askable.has(row.repository) && (
          <RerunFailed run={{ ...row, integrationId, runNumber: null }} name={row.name} />
        )}
        {row.incident && renderActions(row.incident)}
      </span>
    ),
  };
  return (
    <>
      {error}
      <Table
        label="Needs attention"
        hasRowLinks
        isTall
        columns={[...columns, ...(mayChange ? [actions] : [])]}
        rows={rows}
        rowKey={({ key }) => key}
      />
      {dialog}
    </>
  );
}

/** Whether runs can be re-run is asked for each repository, so it is asked for some only. */
const maxAsked = 10;

function firstRepositories(rows: readonly RedRow[]): Set<string> {
  return new Set([...new Set(rows.map(({ repository }) => repository))].slice(0, maxAsked));
}

const columns: readonly Column<RedRow>[] = [
  {
    key: 'workflow',
    header: 'Workflow',
    className: 'max-xl:min-w-32 xl:min-w-40',
    renderCell: (row) => <WorkflowRun row={row} />,
  },
  {
    key: 'failing',
    header: 'Failing',
    className: 'columns:w-2/5',
    renderCell: ({ failing, problem }) => <FailingJob failing={failing} problem={problem} />,
  },
  {
    key: 'commits',
    header: 'First bad commit',
    className: 'text-muted max-xl:min-w-32 xl:min-w-44',
    renderCell: ({ commits }) => commits && <BlamedCommits {...commits} />,
  },
  {
    key: 'since',
    header: 'Since',
    // On paper the time is complete.
    className: 'text-muted print:min-w-40',
    renderCell: ({ since, isSinceKnown, count }) => (
      <span className="relative z-1">
        <TimeAgo time={since} isFocusable />
        {!isSinceKnown && ' or earlier'}
        {count !== '' && <span className="block text-xs whitespace-nowrap">{count}</span>}
      </span>
    ),
  },
  {
    key: 'state',
    header: 'State',
    className: 'columns:min-w-32',
    renderCell: ({ incident }) => incident && <IncidentStateLink incident={incident} />,
  },
];

function WorkflowRun({ row: { key, title, runId, repository, branch } }: { row: RedRow }) {
  return (
    <span>
      <RunLink id={key} runId={runId} className="row-link font-medium">
        <bdi>{title}</bdi>
      </RunLink>
      <span className="block text-xs text-muted">
        <bdi>{repository}</bdi> <bdi className="columns:block">{branch}</bdi>
      </span>
    </span>
  );
}
