import type { Attention } from '#contract/metrics/overview.ts';
import { StatusMark } from '../runs/status-mark.tsx';
import { WorkflowCell } from '../runs/workflow-cell.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { TimeAgo } from '../ui/time/time.tsx';

/** Workflows that fail on the default branch, longest first. */
export function AttentionList({
  integrationId,
  attention,
}: {
  integrationId: string;
  attention: readonly Attention[];
}) {
  return (
    <Table
      label="Needs attention"
      hasRowLinks
      columns={columnsFor(integrationId)}
      rows={attention}
      rowKey={({ repository, workflow, branch }) => JSON.stringify([repository, workflow, branch])}
    />
  );
}

function columnsFor(integrationId: string): Column<Attention>[] {
  return [
    {
      key: 'workflow',
      header: 'Workflow',
      renderCell: ({ lastRunId, ...row }) => (
        <WorkflowCell
          integrationId={integrationId}
          runId={lastRunId}
          workflow={row.workflow}
          repository={row.repository}
          branch={row.branch}
          isRowLink
        />
      ),
    },
    {
      key: 'status',
      header: 'Status',
      renderCell: ({ conclusion }) => <StatusMark status="completed" conclusion={conclusion} />,
    },
    {
      key: 'failures',
      header: 'Failures',
      className: 'text-muted',
      renderCell: ({ failures }) => (failures === 1 ? 'once' : `${failures} in a row`),
    },
    {
      key: 'first',
      header: 'First failure by',
      className: 'text-muted',
      renderCell: ({ firstActor }) => <bdi>{firstActor ?? 'unknown'}</bdi>,
    },
    {
      key: 'since',
      header: 'Failing since',
      isAtEnd: true,
      className: 'text-muted',
      renderCell: ({ since, sinceIsKnown }) => (
        <span className="relative z-1">
          {!sinceIsKnown && 'before '}
          <TimeAgo time={since} isFocusable />
        </span>
      ),
    },
  ];
}
