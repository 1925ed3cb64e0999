import type { TestSummary } from '#contract/tests/tests.ts';
import { Trend } from '../failures/groups/trend.tsx';
import { formatNumber } from '../ui/locale.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { clockTime } from '../ui/time/exact-time.ts';
import { formatDuration } from '../ui/time/format-duration.ts';
import { TimeFor } from '../ui/time/time.tsx';
import { StateMark } from './state-mark.tsx';
import { TestLink } from './test-link.tsx';
import { lastSeenText, oddsText, placeText } from './test-texts.ts';

export function TestTable({
  tests,
  showsDuration,
  showsQuarantine,
}: {
  tests: readonly TestSummary[];
  showsDuration: boolean;
  showsQuarantine: boolean;
}) {
  return (
    <Table
      label="Tests"
      hasRowLinks
      columns={[
        ...columns,
        ...(showsQuarantine ? [quarantineColumn] : []),
        showsDuration ? durationColumn : lostColumn,
        ...lastColumns,
      ]}
      rows={tests}
      rowKey={({ testId }) => testId}
    />
  );
}

const columns: readonly Column<TestSummary>[] = [
  {
    key: 'test',
    header: 'Test',
    className: 'columns:w-full columns:max-w-0',
    renderCell: (test) => (
      <div className="min-w-0 py-1">
        <TestLink
          testId={test.testId}
          data-row
          className="row-link line-clamp-2 font-medium wrap-anywhere columns:line-clamp-1"
        >
          <bdi>{clip(test.name)}</bdi>
        </TestLink>
        <div className="line-clamp-1 text-xs wrap-anywhere text-muted">
          <bdi>{clip(placeText(test))}</bdi> in <bdi>{clip(test.repository)}</bdi>
        </div>
      </div>
    ),
  },
  {
    key: 'state',
    header: 'State',
    className: 'whitespace-nowrap',
    renderCell: (test) => (
      <>
        <StateMark test={test} />
        {test.since !== null && (
          <span className="text-xs text-muted columns:block">
            {' '}
            <TimeFor time={test.since} />
          </span>
        )}
        {test.quarantine !== null && (
          <span className="text-xs text-muted columns:block">
            <span className="columns:hidden">,</span> in quarantine
          </span>
        )}
      </>
    ),
  },
  {
    key: 'odds',
    header: 'Odds',
    className: 'text-muted columns:min-w-24 xl:whitespace-nowrap',
    renderCell: (test) => oddsText(test),
  },
  {
    key: 'failures',
    header: 'Failures',
    isAtEnd: true,
    renderCell: ({ failures }) => (
      <>
        {formatNumber(failures)}
        <span className="columns:hidden">{failures === 1 ? ' failure' : ' failures'}</span>
      </>
    ),
  },
];

const quarantineColumn: Column<TestSummary> = {
  key: 'quarantine',
  header: 'Quarantine',
  className: 'max-xl:min-w-36 xl:min-w-56',
  renderCell: ({ quarantine }) =>
    quarantine !== null && (
      <>
        until <bdi>{clockTime(Date.parse(quarantine.until))}</bdi>
        <span className="line-clamp-2 text-xs wrap-anywhere text-muted">
          {quarantine.owner !== null && (
            <>
              <bdi>{clip(quarantine.owner.name ?? 'unnamed', 100)}</bdi>:{' '}
            </>
          )}
          <bdi>{clip(quarantine.reason)}</bdi>
        </span>
      </>
    ),
};

/** Time that failures and their retries cost. */
export const lostColumn: Column<{ lostMs: number }> = {
  key: 'lost',
  header: 'Time lost',
  isAtEnd: true,
  className: 'whitespace-nowrap',
  renderCell: ({ lostMs }) =>
    lostMs > 0 && (
      <>
        {formatDuration(lostMs)}
        <span className="columns:hidden"> lost</span>
      </>
    ),
};

const durationColumn: Column<TestSummary> = {
  key: 'duration',
  header: 'Total duration',
  isAtEnd: true,
  className: 'whitespace-nowrap',
  renderCell: ({ durationMs }) => (
    <>
      {formatDuration(durationMs)}
      <span className="columns:hidden"> in all</span>
    </>
  ),
};

const lastColumns: readonly Column<TestSummary>[] = [
  {
    key: 'trend',
    header: 'Last 14 days',
    className: 'stacked:hidden',
    renderCell: ({ trend }) => <Trend counts={trend} />,
  },
  {
    key: 'seen',
    header: 'Last seen',
    isAtEnd: true,
    className: 'text-muted whitespace-nowrap',
    renderCell: ({ lastSeenAt }) => lastSeenText(lastSeenAt),
  },
];
