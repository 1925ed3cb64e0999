import { Link } from '@tanstack/react-router';
import type { OverviewWorkflow, RunMark } from '#contract/overview.ts';
import { only } from '../monitoring/run-filter.ts';
import { statusOf, type Tone } from '../monitoring/run-status.ts';
import { formatDuration } from '../ui/format-duration.ts';
import { Table, type Column } from '../ui/table.tsx';

const fills: Record<Tone, string> = {
  idle: 'bg-line-strong',
  running: 'bg-running',
  waiting: 'bg-waiting',
  passed: 'bg-passed',
  failed: 'bg-failed',
};

/** Which workflows ran most, each with its last runs. */
export function WorkflowList({
  integrationId,
  workflows,
}: {
  integrationId: string;
  workflows: readonly OverviewWorkflow[];
}) {
  if (workflows.length === 0)
    return <p className="px-4 py-2 text-muted">Nothing was completed in this time.</p>;
  return (
    <Table
      label="Workflows"
      columns={columnsFor(integrationId)}
      rows={workflows}
      rowKey={({ repository, workflow }) => JSON.stringify([repository, workflow])}
    />
  );
}

function columnsFor(integrationId: string): Column<OverviewWorkflow>[] {
  return [
    {
      key: 'workflow',
      header: 'Workflow',
      renderCell: ({ workflow, repository }) => (
        <span>
          <Link
            to="/integrations/$integrationId/runs"
            params={{ integrationId }}
            search={{ workflow: only(workflow), repository: only(repository) }}
            className="font-medium hover:underline"
          >
            <bdi>{workflow}</bdi>
          </Link>
          <bdi className="block text-xs text-muted">{repository}</bdi>
        </span>
      ),
    },
    {
      key: 'strip',
      header: 'Last runs, newest at the end',
      renderCell: ({ lastRuns, workflow }) => <Strip runs={lastRuns} workflow={workflow} />,
    },
    {
      key: 'runs',
      header: 'Runs',
      className: 'text-muted',
      renderCell: ({ runs, failed }) => `${runs} ${runs === 1 ? 'run' : 'runs'}, ${failed} failed`,
    },
    {
      key: 'duration',
      header: 'Duration p50',
      isAtEnd: true,
      className: 'text-muted',
      renderCell: ({ durationP50Ms }) => (durationP50Ms === null ? '–' : formatDuration(durationP50Ms)),
    },
  ];
}

/** The runs as bars: what they say is said in words for those who do not see it. */
function Strip({ runs, workflow }: { runs: readonly RunMark[]; workflow: string }) {
  const inOrder = runs.toReversed();
  const words = inOrder.map((run) => statusOf(run).word.toLowerCase());
  return (
    <span className="inline-flex h-5 items-end gap-[2px]">
      <span className="sr-only">{`Last runs of ${workflow}: ${words.join(', ')}`}</span>
      {inOrder.map((run) => {
        const { tone, word } = statusOf(run);
        return (
          <span
            key={run.runId}
            aria-hidden
            title={`#${run.runNumber ?? run.runId} ${word}`}
            className={`w-1 rounded-[1px] ${tone === 'passed' ? 'h-3' : 'h-5'} ${fills[tone]}`}
          />
        );
      })}
    </span>
  );
}
