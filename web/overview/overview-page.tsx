import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { overviewRanges, type Overview, type OverviewRange } from '#contract/metrics/overview.ts';
import { Chart } from '../ui/chart/chart.tsx';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { ConnectionMark } from '../ui/connection-mark.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { NeedsAttention, useOpenIncidents } from './needs-attention.tsx';
import { isEmpty } from './attention.ts';
import { RunsLink } from '../runs/figure-link.tsx';
import { periodOf, spanPeriod, type Span } from '../runs/period.ts';
import { firstFailure, spanOfSteps } from '../ui/chart/time-axis.ts';
import { Figures } from './figures.tsx';
import type { InboxView } from './overview-search.ts';
import { StripLegend } from './run-strip.tsx';
import { useHasRuns, useOverview } from './use-overview.ts';
import { WorkflowList } from './workflow-list.tsx';

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
  return (
    <>
      <Figures integrationId={integrationId} overview={overview} />
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
        />
      </PagePart>
      {/* Until the incidents are known, they would push down what is below. */}
      {(data !== undefined || error !== null) && (
        <>
          <OverviewCharts integrationId={integrationId} overview={overview} />
          <PagePart title="Workflows" end={workflows.length > 0 && <StripLegend />}>
            <WorkflowList integrationId={integrationId} period={periodOf(overview)} workflows={workflows} />
          </PagePart>
        </>
      )}
    </>
  );
}

function OverviewCharts({ integrationId, overview }: Omit<ContentProps, 'inbox'>) {
  const { series, granularity } = overview;
  const navigate = useNavigate();
  const times = series.map(({ at }) => Date.parse(at));
  const spanOf = (step: number) => spanOfSteps(times, step, step, granularity);
  const params = { integrationId };
  const shared = {
    times,
    granularity,
    onOpen: (step: number) =>
      void navigate({ to: '/integrations/$integrationId/runs', params, search: spanPeriod(spanOf(step)) }),
    onZoom: ({ from, to }: Span) => {
      const search = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      void navigate({ to: '/integrations/$integrationId/metrics', params, search });
    },
    renderStep: (step: number, text: string) => {
      const { succeeded, failed, cancelled, other } = series[step]!;
      const count = succeeded + failed + cancelled + other;
      return count === 0 ? (
        text
      ) : (
        <RunsLink integrationId={integrationId} count={count} filter={spanPeriod(spanOf(step))}>
          {text}
        </RunsLink>
      );
    },
  };
  return (
    <div className="grid gap-x-8 gap-y-6 px-4 pt-8 xl:grid-cols-2">
      <Chart
        {...shared}
        label="Runs by result"
        kind="stacked"
        unit="count"
        mark={firstFailure(series)}
        series={[
          { name: 'Passed', colour: '--passed', values: series.map(({ succeeded }) => succeeded) },
          { name: 'Failed', colour: '--failed', values: series.map(({ failed }) => failed) },
          { name: 'Cancelled', colour: '--idle', values: series.map(({ cancelled }) => cancelled) },
          { name: 'Other', colour: '--other', values: series.map(({ other }) => other) },
        ]}
      />
      <Chart
        {...shared}
        label="Duration"
        kind="lines"
        unit="duration"
        series={[
          { name: 'p50', colour: '--accent', values: series.map(({ durationP50Ms }) => durationP50Ms) },
          { name: 'p95', colour: '--waiting', values: series.map(({ durationP95Ms }) => durationP95Ms) },
        ]}
      />
    </div>
  );
}
