import type { StepTrend } from '#contract/metrics/steps.ts';
import { numberColumn } from '../metrics/number-columns.tsx';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf } from '../ui/change.ts';
import { formatPercent } from '../ui/locale.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { formatDuration } from '../ui/time/format-duration.ts';

const shown = 10;

/** The steps with the longest median duration. */
export function SlowSteps({ steps }: { steps: readonly StepTrend[] }) {
  return (
    <Table
      label="Slowest steps"
      rows={steps.slice(0, shown)}
      rowKey={({ job, step }) => JSON.stringify([job, step])}
      columns={columns}
    />
  );
}

const columns: Column<StepTrend>[] = [
  {
    key: 'step',
    header: 'Step',
    renderCell: ({ job, step }) => (
      <span>
        <bdi className="font-medium">{clip(step)}</bdi>
        <bdi className="block text-xs text-muted">{clip(job)}</bdi>
      </span>
    ),
  },
  numbers('durationP50Ms', 'Duration p50'),
  numbers('durationP95Ms', 'Duration p95'),
  { ...numbers('failedShare', 'Failed'), isAtEnd: true },
];

function numbers(name: 'durationP50Ms' | 'durationP95Ms' | 'failedShare', header: string): Column<StepTrend> {
  const isShare = name === 'failedShare';
  return numberColumn(name, header, ({ before, after: { [name]: value } }) => (
    <>
      <span className="columns:hidden">{header} </span>
      {isShare ? formatPercent(value) : value === null ? '–' : formatDuration(value)}
      <ChangeText change={changeOf(value, before?.[name], isShare ? 'rate' : 'amount', 'less')} />
    </>
  ));
}
