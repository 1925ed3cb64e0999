import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { BranchHealth, Health, RedMerge, RedPeriod } from '#contract/metrics/health.ts';
import { numberColumn } from '../metrics/number-columns.tsx';
import { PullRequestLink } from '../pull-requests/pull-request-link.tsx';
import { quietLink } from '../runs/quiet-link.ts';
import { RunLink } from '../runs/run-link.tsx';
import { Figure, Figures } from '../ui/figure.tsx';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { formatCount, formatNumber, formatPercent } from '../ui/locale.ts';
import { PagePart } from '../ui/page/page-part.tsx';
import { timeOf } from '../ui/table/sort-rows.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { formatDuration } from '../ui/time/format-duration.ts';
import { Duration, TimeAgo } from '../ui/time/time.tsx';
import { DefinitionLink } from './definitions.tsx';
import { shownEndings, type HealthSearch, type ShownEnding } from './health-search.ts';

const endingNames: Record<ShownEnding, string> = {
  commit: 'Fixed by a commit',
  rerun: 'Fixed by a re-run',
  revert: 'Fixed by a revert',
  stopped: 'No results any more',
  open: 'Red now',
};

/** In the row of choices, which has little space. */
const choiceNames: typeof endingNames = {
  ...endingNames,
  commit: 'Commit',
  rerun: 'Re-run',
  revert: 'Revert',
};

const endingOf = ({ endedBy }: Pick<RedPeriod, 'endedBy'>): ShownEnding => endedBy ?? 'open';

const periodsLink = (count: number, ended?: ShownEnding, text = formatCount(count, 'period')): ReactNode => (
  <RowsLink hash="red-periods" count={count} search={{ ended }}>
    {text}
  </RowsLink>
);

/** How long the branches were red, each number with a link to its rows and its definition. */
export function BranchFigures({
  main: { redMs, observedMs, byEnding, recoveries, count },
  merges,
}: {
  main: BranchHealth;
  merges: Health['merges'];
}) {
  return (
    <Figures>
      <Figure
        name={<DefinitionLink of="red">Time red</DefinitionLink>}
        value={formatDuration(redMs ?? 0)}
        note={
          <>
            {observedMs !== null && `${formatPercent((redMs ?? 0) / observedMs)} of the time, `}
            {periodsLink(count)}
            {byEnding.open.periods > 0 && (
              <>
                , {periodsLink(byEnding.open.periods, 'open', `${formatNumber(byEnding.open.periods)} now`)}
              </>
            )}
          </>
        }
      />
      {(['commit', 'rerun', 'revert'] as const).map((ending) => (
        <Figure
          key={ending}
          name={<DefinitionLink of={ending}>{endingNames[ending]}</DefinitionLink>}
          value={byEnding[ending].periods === 0 ? 'None' : formatDuration(byEnding[ending].redMs)}
          note={byEnding[ending].periods > 0 && periodsLink(byEnding[ending].periods, ending)}
        />
      ))}
      <Figure
        name={<DefinitionLink of="recovery">Recovery, median</DefinitionLink>}
        value={recoveries.p50 === null ? '–' : formatDuration(recoveries.p50)}
        note={recoveries.p90 !== null && `p90 ${formatDuration(recoveries.p90)}`}
      />
      <Figure
        name={<DefinitionLink of="merges">Merged while red</DefinitionLink>}
        value={
          merges.intoRed === null ? (
            '–'
          ) : (
            <RowsLink hash="red-merges" count={merges.intoRed}>
              {formatNumber(merges.intoRed)}
            </RowsLink>
          )
        }
        note={merges.intoRed === null ? 'nothing merged' : `of ${formatCount(merges.count, 'pull request')}`}
      />
    </Figures>
  );
}

/** A number as a link to the rows of this page that it counts. */
export function RowsLink({
  hash,
  count,
  search = {},
  children,
}: {
  hash:
    | 'red-periods'
    | 'red-merges'
    | 'merged'
    | 'lost-minutes'
    | 'labels'
    | 'deployments'
    | 'deployed-pulls';
  count: number;
  /** Which rows are shown. */
  search?: Pick<HealthSearch, 'ended' | 'pulls' | 'lost' | 'deployments'>;
  children: ReactNode;
}) {
  return (
    <Link
      from="/integrations/$integrationId/health"
      to="."
      search={(previous) => ({ ...previous, ...search })}
      hash={hash}
      replace
      data-count={count}
      className={quietLink}
    >
      {children}
    </Link>
  );
}

/** Says when a list is cut. */
export function TableEnd({ shown, of, which = 'newest' }: { shown: number; of: number; which?: string }) {
  if (shown >= of) return null;
  return (
    <p className="px-4 py-2 text-muted">
      The {which} {formatNumber(shown)} of {formatNumber(of)}. Choose a shorter period to see all.
    </p>
  );
}

export function RedPeriods({
  main: { periods, count },
  ended,
  onShow,
}: {
  main: BranchHealth;
  ended: ShownEnding | undefined;
  onShow: (ended: ShownEnding | undefined) => void;
}) {
  const shown = ended === undefined ? periods : periods.filter((period) => endingOf(period) === ended);
  const present = shownEndings.filter(
    (each) => each === ended || periods.some((one) => endingOf(one) === each),
  );
  return (
    <PagePart
      id="red-periods"
      title="Red periods"
      isEmpty={shown.length === 0}
      end={
        present.length > 0 && (
          <ChoiceRow
            label="Ended"
            value={ended ?? 'all'}
            choices={[
              { value: 'all', label: 'All' },
              ...present.map((each) => ({
                value: each,
                label: choiceNames[each],
              })),
            ]}
            onChoose={(chosen) => onShow(shownEndings.find((each) => each === chosen))}
          />
        )
      }
    >
      <Table
        label="Red periods"
        columns={periodColumns}
        isCut={periods.length < count}
        rows={shown}
        rowKey={({ repository, since, first }) => `${repository} ${since} ${first.runId}`}
      />
      <TableEnd shown={periods.length} of={count} />
    </PagePart>
  );
}

const periodColumns: readonly Column<RedPeriod>[] = [
  {
    key: 'where',
    header: 'Workflows',
    sortBy: ({ repository }) => repository,
    className: 'columns:w-full columns:max-w-0 wrap-anywhere',
    renderCell: ({ repository, branch, workflows }) => (
      <>
        <bdi className="font-medium">{clip(workflows.map(({ workflow }) => workflow).join(', '), 200)}</bdi>
        <bdi dir="ltr" className="block text-xs text-muted">
          {clip(repository)}
          {branch !== null && ` · ${clip(branch, 100)}`}
        </bdi>
      </>
    ),
  },
  numberColumn(
    'since',
    'Since',
    ({ since, first }) => (
      <RunLink runId={first.runId} search={{ attempt: first.attempt }}>
        <TimeAgo time={since} />
      </RunLink>
    ),
    ({ since }) => timeOf(since),
  ),
  numberColumn(
    'duration',
    'Red for',
    ({ until, since, durationMs, sinceIsKnown }) => (
      <span className="whitespace-nowrap">
        {!sinceIsKnown && 'at least '}
        <Duration ms={until === null ? null : durationMs} since={since} />
      </span>
    ),
    ({ durationMs }) => durationMs,
  ),
  {
    key: 'ended',
    header: 'Ended',
    sortBy: (period) => endingNames[endingOf(period)],
    isAtEnd: true,
    className: 'whitespace-nowrap',
    renderCell: (period) =>
      period.last === null ? (
        endingNames[endingOf(period)]
      ) : (
        <RunLink runId={period.last.runId} search={{ attempt: period.last.attempt }}>
          {endingNames[endingOf(period)]}
        </RunLink>
      ),
  },
];

export function RedMerges({ merges: { items, intoRed } }: { merges: Health['merges'] }) {
  return (
    <PagePart id="red-merges" title="Merged while red" isEmpty={items.length === 0}>
      <Table
        label="Merged while red"
        columns={[pullColumn, mergedColumn]}
        isCut={items.length < (intoRed ?? 0)}
        rows={items}
        rowKey={({ repository, number }) => `${repository} ${number}`}
      />
      <TableEnd shown={items.length} of={intoRed ?? 0} />
    </PagePart>
  );
}

/** A merged pull request with its repository. */
export const pullColumn: Column<RedMerge> = {
  key: 'pull-request',
  header: 'Pull request',
  sortBy: ({ title }) => title,
  className: 'columns:w-full columns:max-w-0 wrap-anywhere',
  renderCell: ({ repository, number, title }) => (
    <>
      <PullRequestLink repository={repository} number={number} className="font-medium hover:underline">
        <bdi>{clip(title ?? 'Pull request')}</bdi> <span className="font-normal text-muted">#{number}</span>
      </PullRequestLink>
      <bdi dir="ltr" className="block text-xs text-muted">
        {clip(repository)}
      </bdi>
    </>
  ),
};

/** When it was merged. */
export const mergedColumn: Column<RedMerge> = {
  key: 'merged',
  header: 'Merged',
  sortBy: ({ mergedAt }) => timeOf(mergedAt),
  isAtEnd: true,
  className: 'text-muted whitespace-nowrap',
  renderCell: ({ mergedAt }) => <TimeAgo time={mergedAt} />,
};
