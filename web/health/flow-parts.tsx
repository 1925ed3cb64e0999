import type { Flow, MergedPull } from '#contract/metrics/health.ts';
import type { Percentiles } from '#contract/metrics/percentiles.ts';
import { numberColumn } from '../metrics/number-columns.tsx';
import { Figure, Figures } from '../ui/figure.tsx';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { formatCount, formatNumber, formatPercent } from '../ui/locale.ts';
import { PagePart } from '../ui/page/page-part.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { formatDuration } from '../ui/time/format-duration.ts';
import { mergedColumn, pullColumn, RowsLink, TableEnd } from './branch-parts.tsx';
import { DefinitionLink } from './definitions.tsx';
import { shownPulls, type ShownPulls } from './health-search.ts';

const names: Record<ShownPulls, string> = {
  reviewed: 'Reviewed',
  approved: 'Approved',
  green: 'Checks had passed',
  reworked: 'Changed after a review',
  checked: 'With checks',
};

const belongs: Record<ShownPulls, (pull: MergedPull) => boolean> = {
  reviewed: ({ firstReviewMs }) => firstReviewMs !== null,
  approved: ({ approvalToMergeMs }) => approvalToMergeMs !== null,
  green: ({ greenToMergeMs }) => greenToMergeMs !== null,
  reworked: ({ rounds }) => (rounds ?? 0) > 0,
  checked: ({ checksMs }) => checksMs !== null,
};

/** How long pull requests took that were merged into the branch, each number with a link to its rows and its definition. */
export function FlowFigures({ flow }: { flow: Flow }) {
  const { merged, timeToMerge, firstReview, approvalToMerge, greenToMerge, reworked, checks } = flow;
  const counted = (count: number, pulls?: ShownPulls) => (
    <RowsLink hash="merged" count={count} search={{ pulls }}>
      {formatCount(count, 'pull request')}
    </RowsLink>
  );
  const times = (of: Percentiles, count: number, pulls?: ShownPulls) => ({
    value: of.p50 === null ? '–' : formatDuration(of.p50),
    note: (
      <>
        {of.p90 !== null && `p90 ${formatDuration(of.p90)}, `}
        {count > 0 && counted(count, pulls)}
      </>
    ),
  });
  return (
    <Figures label="Numbers of pull requests">
      <Figure
        name={<DefinitionLink of="merge">Opened to merge, median</DefinitionLink>}
        {...times(timeToMerge, merged)}
      />
      <Figure
        name={<DefinitionLink of="review">Opened to first review</DefinitionLink>}
        {...times(firstReview, firstReview.count, 'reviewed')}
      />
      <Figure
        name={<DefinitionLink of="approval">Approval to merge</DefinitionLink>}
        {...times(approvalToMerge, approvalToMerge.count, 'approved')}
      />
      <Figure
        name={<DefinitionLink of="green">Checks passed to merge</DefinitionLink>}
        {...times(greenToMerge, greenToMerge.count, 'green')}
      />
      <Figure
        name={<DefinitionLink of="rounds">Changed after a review</DefinitionLink>}
        value={firstReview.count === 0 ? '–' : formatPercent(reworked / firstReview.count)}
        note={reworked > 0 && counted(reworked, 'reworked')}
      />
      <Figure
        name={<DefinitionLink of="checks">Share of checks, median</DefinitionLink>}
        value={formatPercent(checks.p50)}
        note={checks.count > 0 && counted(checks.count, 'checked')}
      />
    </Figures>
  );
}

export function MergedPulls({
  flow: { items, merged },
  pulls,
  onShow,
}: {
  flow: Flow;
  pulls: ShownPulls | undefined;
  onShow: (pulls: ShownPulls | undefined) => void;
}) {
  const shown = pulls === undefined ? items : items.filter(belongs[pulls]);
  return (
    <PagePart
      id="merged"
      title="Merged pull requests"
      isEmpty={shown.length === 0}
      end={
        items.length > 0 && (
          <FilterMenu
            name="Show"
            none="All"
            value={pulls}
            groups={[shownPulls.map((value) => ({ value, label: names[value] }))]}
            onChoose={(chosen) => onShow(shownPulls.find((each) => each === chosen))}
          />
        )
      }
    >
      <Table
        label="Merged pull requests"
        columns={columns}
        isCut={items.length < merged}
        rows={shown}
        rowKey={({ repository, number }) => `${repository} ${number}`}
      />
      <TableEnd shown={items.length} of={merged} />
    </PagePart>
  );
}

const timeColumn = (
  key: 'timeToMergeMs' | 'firstReviewMs' | 'approvalToMergeMs' | 'greenToMergeMs' | 'checksMs',
  header: string,
): Column<MergedPull> =>
  numberColumn(
    key,
    header,
    (pull) => (
      <span className="whitespace-nowrap">
        <span className="columns:hidden">{header} </span>
        {pull[key] === null ? '–' : formatDuration(pull[key])}
      </span>
    ),
    (pull) => pull[key],
  );

const columns: readonly Column<MergedPull>[] = [
  pullColumn,
  timeColumn('timeToMergeMs', 'To merge'),
  timeColumn('firstReviewMs', 'First review'),
  numberColumn(
    'rounds',
    'Rounds',
    ({ rounds }) => (
      <>
        <span className="columns:hidden">Rounds </span>
        {rounds === null ? '–' : formatNumber(rounds)}
      </>
    ),
    ({ rounds }) => rounds,
  ),
  timeColumn('approvalToMergeMs', 'Approved'),
  timeColumn('greenToMergeMs', 'Passed'),
  timeColumn('checksMs', 'Checks'),
  mergedColumn,
];
