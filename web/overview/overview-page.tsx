import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { overviewRanges, type Overview, type OverviewRange } from '#contract/metrics/overview.ts';
import type { HiddenWorkflow } from '#contract/runs/hidden-workflows.ts';
import type { WorkflowRunPage } from '#contract/runs/runs.ts';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { ConnectionMark } from '../ui/connection-mark.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { useSmoothMoves } from '../ui/page/smooth-moves.ts';
import { NeedsAttention, useOpenIncidents } from './needs-attention.tsx';
import { isEmpty } from './attention.ts';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { lineOf, TimeCharts } from '../metrics/time-charts.tsx';
import { RunsLink } from '../runs/figure-link.tsx';
import { periodOf, spanPeriod, type Span } from '../runs/period.ts';
import { firstFailure } from '../ui/chart/time-axis.ts';
import { OverviewFigures } from './figures.tsx';
import type { InboxView } from './overview-search.ts';
import { StripLegend } from './run-strip.tsx';
import { WorkflowList } from './workflow-list.tsx';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { useHeld, useHold } from '../ui/table/held-rows.tsx';
import { actionsColumn, Table, type Column } from '../ui/table/table.tsx';
import { HiddenSince, ShowAgain } from '../workflows/hidden-workflow.tsx';
import { hiddenQuery } from '../workflows/hiding.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';
import { overviewPath } from './overview-paths.ts';
import { overviewQuery } from './overview-query.ts';

const askEveryMs = 60_000;
/** Updates come in bursts, so the numbers are read at most at this interval. */
const pauseMs = 5000;

/** The overview numbers, read again soon after a change. */
function useOverview(integrationId: string, range: OverviewRange) {
  useLiveReads({ integrationId, queryKey: [overviewPath(integrationId)], pauseMs });
  return useQuery({
    ...overviewQuery(integrationId, range),
    refetchInterval: readEvery(askEveryMs),
    placeholderData: (previous) => previous,
  });
}

/** Whether the integration has any run, however old. */
function useHasRuns(integrationId: string) {
  const path = `/api/integrations/${integrationId}/workflows?limit=1`;
  return useQuery({
    queryKey: [path],
    queryFn: async ({ signal }) => (await getJson<WorkflowRunPage>(path, signal)).items.length > 0,
  });
}

/** The workflows that are hidden. Nothing without any. */
function HiddenList({ integrationId }: { integrationId: string }) {
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

const rangeNames: Record<OverviewRange, string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};

/** The overview of an integration. `waiting` is shown until the first event arrives. */
export function OverviewPage({
  integrationId,
  range,
  onRange,
  waiting,
  ...inbox
}: {
  integrationId: string;
  range: OverviewRange;
  onRange: (range: OverviewRange) => void;
  waiting: ReactNode;
} & InboxProps) {
  const reading = useOverview(integrationId, range);
  return (
    <>
      <PageHeader title={<PageTitle>Overview</PageTitle>} end={<ConnectionMark />}>
        <ChoiceRow
          label="Time"
          value={range}
          choices={overviewRanges.map((value) => ({ value, label: rangeNames[value] }))}
          onChoose={onRange}
        />
      </PageHeader>
      <PageBody>
        <Loaded reading={reading} what="overview" skeletonRows={10}>
          {(overview) =>
            isEmpty(overview) ? (
              <NothingLately
                integrationId={integrationId}
                overview={overview}
                waiting={waiting}
                inbox={inbox}
              />
            ) : (
              <Content integrationId={integrationId} overview={overview} inbox={inbox} />
            )
          }
        </Loaded>
      </PageBody>
    </>
  );
}

/** An empty period also occurs after a quiet weekend, so old runs count. */
function NothingLately({ waiting, ...props }: ContentProps & { waiting: ReactNode }) {
  const reading = useHasRuns(props.integrationId);
  return (
    <Loaded reading={reading} what="overview" skeletonRows={10}>
      {(hasRuns) => (hasRuns ? <Content {...props} /> : waiting)}
    </Loaded>
  );
}

/** Which incidents need attention. */
interface InboxProps {
  show: InboxView | undefined;
  onShow: (show: InboxView | undefined) => void;
}

interface ContentProps {
  integrationId: string;
  overview: Overview;
  inbox: InboxProps;
}

const viewChoices = [
  { value: 'all', label: 'All' },
  { value: 'unacknowledged', label: 'Unacknowledged' },
  { value: 'mine', label: 'Mine' },
] as const;

function Content({ integrationId, overview, inbox: { show, onShow } }: ContentProps) {
  const { needsAttention, workflows } = overview;
  const incidents = useOpenIncidents(integrationId, show);
  const { data, error } = incidents.reading;
  const { isHeld, reading } = useHold();
  const isKnown = data !== undefined || error !== null;
  const moves = useSmoothMoves();
  return (
    <div ref={moves}>
      <div {...reading}>
        <OverviewFigures overview={overview} />
        <PagePart
          title="Needs attention"
          end={
            <ChoiceRow
              label="Incidents"
              value={show ?? 'all'}
              choices={viewChoices}
              onChoose={(value) => onShow(value === 'all' ? undefined : value)}
            />
          }
        >
          <NeedsAttention
            integrationId={integrationId}
            attention={needsAttention}
            show={show}
            incidents={incidents}
            isHeld={isHeld}
          />
        </PagePart>
        {/* Until the incidents are known, they would push down what is below. */}
        {isKnown && (
          <>
            <div data-moves>
              <OverviewCharts overview={overview} isHeld={isHeld} />
            </div>
            <PagePart title="Workflows" end={workflows.length > 0 && <StripLegend />}>
              <WorkflowList
                key={overview.range}
                period={periodOf(overview)}
                workflows={workflows}
                isHeld={isHeld}
              />
            </PagePart>
          </>
        )}
      </div>
      {/* A workflow that is shown again enters the lists at once. */}
      {isKnown && <HiddenList integrationId={integrationId} />}
    </div>
  );
}

function OverviewCharts({ overview, isHeld }: { overview: Overview; isHeld: boolean }) {
  const { shown } = useHeld({
    current: overview,
    isHeld,
    scope: overview.range,
    all: (all) => all,
    hold: (held) => held,
  });
  const { series, granularity } = shown;
  const params = useIntegrationParams();
  const navigate = useNavigate();
  const line = lineOf(series);
  return (
    <TimeCharts
      steps={series.map((point) => ({ at: point.at, runs: countOf(point) }))}
      granularity={granularity}
      links={runsOfSpan}
      onZoom={(search) => void navigate({ to: '/integrations/$integrationId/metrics', params, search })}
      charts={[
        {
          label: 'Runs by result',
          kind: 'stacked',
          unit: 'count',
          mark: firstFailure(series),
          series: [
            line('Passed', '--passed', ({ succeeded }) => succeeded),
            line('Failed', '--failed', ({ failed }) => failed),
            line('Cancelled', '--idle', ({ cancelled }) => cancelled),
            line('Other', '--other', ({ other }) => other),
          ],
        },
        {
          label: 'Duration',
          kind: 'lines',
          unit: 'duration',
          series: [
            line('p50', '--accent', ({ durationP50Ms }) => durationP50Ms),
            line('p95', '--waiting', ({ durationP95Ms }) => durationP95Ms),
          ],
        },
      ]}
    />
  );
}

const runsOfSpan = {
  listOf: (span: Span) => ({ to: '/integrations/$integrationId/runs', search: spanPeriod(span) }) as const,
  ofStep: (count: number, span: Span, text: string) =>
    count === 0 ? (
      text
    ) : (
      <RunsLink count={count} filter={spanPeriod(span)}>
        {text}
      </RunsLink>
    ),
};

const countOf = ({ succeeded, failed, cancelled, other }: Overview['series'][number]): number =>
  succeeded + failed + cancelled + other;
