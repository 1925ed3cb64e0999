import { lostKinds, type LostKind, type LostRun, type Minutes } from '#contract/metrics/health.ts';
import type { FigureLinks } from '../metrics/figure-links.tsx';
import { costColumn, costText, hasCost } from '../metrics/metrics-tables.tsx';
import { numberColumn } from '../metrics/number-columns.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { Figure, Figures } from '../ui/figure.tsx';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { formatCount, formatMoney, formatNumber, formatPercent } from '../ui/locale.ts';
import { PagePart } from '../ui/page/page-part.tsx';
import { timeOf } from '../ui/table/sort-rows.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { clockTime } from '../ui/time/exact-time.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { RowsLink, TableEnd } from './branch-parts.tsx';
import { DefinitionLink, type Defined } from './definitions.tsx';

const kinds: Record<LostKind, { name: string; defined: Defined }> = {
  rerun: { name: 'Re-runs', defined: 'lostRerun' },
  superseded: { name: 'Superseded', defined: 'lostSuperseded' },
  afterFailure: { name: 'After a failure', defined: 'lostAfterFailure' },
};

/** Runner minutes, and how many of them were lost, each with a link to its rows and its definition. */
export function MinuteFigures({
  minutes: { total, lost, costs, labels },
  links,
}: {
  minutes: Minutes;
  links: FigureLinks;
}) {
  return (
    <Figures label="Numbers of minutes">
      <Figure
        name={<DefinitionLink of="minutes">Runner minutes</DefinitionLink>}
        value={links.ofMinutes(total ?? 0)}
      />
      {costs.map(({ currency, amount, minutes }) => (
        <Figure
          key={currency}
          name={<DefinitionLink of="cost">Cost</DefinitionLink>}
          value={
            <RowsLink hash="labels" count={labels.length}>
              {formatMoney(amount, currency)}
            </RowsLink>
          }
          note={minutes === total ? 'of all minutes' : `of ${formatNumber(minutes)} min`}
        />
      ))}
      {lost.map(({ kind, runs, minutes, costs: lostCosts, since }) => (
        <Figure
          key={kind}
          name={
            <DefinitionLink
              of={kinds[kind].defined}
            >{`Lost: ${kinds[kind].name.toLowerCase()}`}</DefinitionLink>
          }
          value={runs === 0 ? 'None' : `${formatNumber(minutes)} min`}
          note={
            runs > 0 && (
              <>
                {!!total && `${formatPercent(minutes / total)}, `}
                <RowsLink hash="lost-minutes" count={runs} search={{ lost: kind }}>
                  {formatCount(runs, 'run')}
                </RowsLink>
                {since !== null && ` since ${clockTime(Date.parse(since))}`}
                {lostCosts.length > 0 && <span className="block">{costText(lostCosts, minutes)}</span>}
              </>
            )
          }
        />
      ))}
    </Figures>
  );
}

export function LostRuns({
  minutes: { runs, count },
  lost,
  onShow,
}: {
  minutes: Minutes;
  lost: LostKind | undefined;
  onShow: (lost: LostKind | undefined) => void;
}) {
  const shown = lost === undefined ? runs : runs.filter(({ kind }) => kind === lost);
  return (
    <PagePart
      id="lost-minutes"
      title="Runs that lost most minutes"
      isEmpty={shown.length === 0}
      end={
        runs.length > 0 && (
          <ChoiceRow
            label="Lost"
            value={lost ?? 'all'}
            choices={[
              { value: 'all', label: 'All' },
              ...lostKinds.map((value) => ({ value, label: kinds[value].name })),
            ]}
            onChoose={(chosen) => onShow(lostKinds.find((each) => each === chosen))}
          />
        )
      }
    >
      <Table
        label="Runs that lost most minutes"
        columns={runs.some(hasCost) ? columns : columns.filter(({ key }) => key !== 'cost')}
        isCut={runs.length < count}
        rows={shown}
        rowKey={({ runId, kind }) => `${runId} ${kind}`}
      />
      <TableEnd shown={runs.length} of={count} which="largest" />
    </PagePart>
  );
}

const columns: readonly Column<LostRun>[] = [
  {
    key: 'run',
    header: 'Run',
    sortBy: ({ title }) => title,
    className: 'columns:w-full columns:max-w-0 wrap-anywhere',
    renderCell: ({ runId, runNumber, title, repository, workflow }) => (
      <>
        <RunLink runId={runId} className="font-medium hover:underline">
          <bdi>{clip(title ?? 'Run')}</bdi>{' '}
          <span className="font-normal text-muted">#{runNumber ?? runId}</span>
        </RunLink>
        <bdi dir="ltr" className="block text-xs text-muted">
          {clip(`${repository} · ${workflow}`)}
        </bdi>
      </>
    ),
  },
  {
    key: 'kind',
    header: 'Lost',
    sortBy: ({ kind }) => kinds[kind].name,
    className: 'text-muted whitespace-nowrap',
    renderCell: ({ kind }) => kinds[kind].name,
  },
  numberColumn(
    'jobs',
    'Jobs',
    ({ jobs }) => <span className="whitespace-nowrap">{formatCount(jobs, 'job')}</span>,
    ({ jobs }) => jobs,
  ),
  numberColumn(
    'minutes',
    'Minutes',
    ({ minutes }) => <span className="whitespace-nowrap">{formatNumber(minutes)} min</span>,
    ({ minutes }) => minutes,
  ),
  costColumn<LostRun>(({ minutes }) => minutes),
  {
    key: 'at',
    header: 'Completed',
    sortBy: ({ at }) => timeOf(at),
    isAtEnd: true,
    className: 'text-muted whitespace-nowrap',
    renderCell: ({ at }) => <TimeAgo time={at} />,
  },
];
