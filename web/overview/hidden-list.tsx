import { useQuery } from '@tanstack/react-query';
import type { HiddenWorkflow } from '#contract/runs/hidden-workflows.ts';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { actionsColumn, Table, type Column } from '../ui/table/table.tsx';
import { HiddenSince, ShowAgain } from '../workflows/hidden-workflow.tsx';
import { hiddenQuery } from '../workflows/hiding.ts';

/** The workflows that are hidden. Nothing without any. */
export function HiddenList({ integrationId }: { integrationId: string }) {
  const { data = [] } = useQuery(hiddenQuery(integrationId));
  if (data.length === 0) return null;
  const actions: Column<HiddenWorkflow> = {
    ...actionsColumn,
    renderCell: (hidden) => <ShowAgain integrationId={integrationId} hidden={hidden} />,
  };
  return (
    <PagePart title="Hidden workflows">
      <Table
        label="Hidden workflows"
        columns={[...columns, actions]}
        rows={data}
        rowKey={({ hiddenWorkflowId }) => hiddenWorkflowId}
      />
    </PagePart>
  );
}

const columns: readonly Column<HiddenWorkflow>[] = [
  {
    key: 'workflow',
    header: 'Workflow',
    renderCell: ({ repository, workflow }) => (
      <WorkflowName repository={repository} workflow={workflow === '' ? 'Unnamed workflow' : workflow} />
    ),
  },
  { key: 'since', header: 'Since', renderCell: (hidden) => <HiddenSince hidden={hidden} /> },
];
