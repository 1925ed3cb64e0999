import { comparedRuns } from '#contract/metrics/steps.ts';
import { only } from '#contract/base/value-list.ts';
import type { MetricGroup } from '#contract/metrics/metrics.ts';
import { figureLinks, type FigureLinks } from '../metrics/figure-links.tsx';
import { NotifyMe } from '../alerts/notify-me.tsx';
import { MetricsCharts } from '../metrics/metrics-charts.tsx';
import { defaultDays, type MetricsSearch, metricDays } from '../metrics/metrics-search.ts';
import { workflowFilter } from '../runs/period.ts';
import { longestLinkedName } from '../runs/workflow-link.tsx';
import { clip } from '../ui/text/clip.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { changeDays } from '../what-changed/changes-search.ts';
import { DefaultBranch } from './default-branch.tsx';
import { HideWorkflow } from './hide-workflow.tsx';
import { OpenProblems } from './open-problems.tsx';
import { RunTable } from './run-table.tsx';
import { SlowSteps } from './slow-steps.tsx';
import { useWorkflow, type WorkflowData, type WorkflowSearch } from './use-workflow.ts';
import { WorkflowOwner } from './workflow-owner.tsx';
import { WorkflowFigures } from './workflow-figures.tsx';
import { RunsLink } from '../runs/figure-link.tsx';
import { formatCount } from '../ui/locale.ts';
import { percentileColumn } from '../metrics/number-columns.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { BranchClassFilter } from '../metrics/filter/branch-class-filter.tsx';
import { PeriodFilter } from '../metrics/filter/period-filter.tsx';

const shownJobs = 10;

/** The jobs with the longest median duration. */
function SlowJobs({ jobs, links }: { jobs: readonly MetricGroup[]; links: FigureLinks }) {
  const slowest = jobs
    .toSorted((a, b) => (b.durationP50Ms ?? 0) - (a.durationP50Ms ?? 0))
    .slice(0, shownJobs);
  const columns: Column<MetricGroup>[] = [
    {
      key: 'job',
      header: 'Job',
      renderCell: ({ job }) => <bdi className="font-medium">{clip(job ?? '')}</bdi>,
      sortBy: ({ job }) => job,
    },
    percentileColumn('durationP50Ms', 'Duration p50'),
    percentileColumn('durationP95Ms', 'Duration p95'),
    percentileColumn('queueP95Ms', 'Queue p95'),
    {
      key: 'jobs',
      header: 'Jobs',
      isAtEnd: true,
      className: 'text-muted',
      renderCell: ({ runs, job }) => links.ofJobs(runs, { job: job ?? '' }),
      sortBy: ({ runs }) => runs,
    },
  ];
  return <Table label="Slowest jobs" rows={slowest} rowKey={({ job }) => job ?? ''} columns={columns} />;
}

const shownPeople = 8;

/** The people whose pushes and pull requests started most runs: the ones to ask about the workflow. */
function Pushers({ people: { counted, complete, facets, filter } }: { people: WorkflowData['people'] }) {
  return (
    <>
      <p className="px-4 text-muted">
        By pushes and pull requests in the period
        {!complete && `, counted in the newest ${formatCount(counted, 'run')} of the integration`}. Who wrote
        the workflow file is not known.
      </p>
      <ul className="flex flex-wrap gap-x-6 gap-y-2 px-4 pt-2">
        {facets.actor.slice(0, shownPeople).map(({ value, count }) => (
          <li key={value}>
            <bdi className="font-medium">{clip(value, 60)}</bdi>{' '}
            <RunsLink count={complete ? count : undefined} filter={{ ...filter, actor: only(value) }}>
              {formatCount(count, 'run')}
            </RunsLink>
          </li>
        ))}
      </ul>
    </>
  );
}

type ChangeSearch = (change: MetricsSearch) => void;

/** All about one workflow: its runs, its health over time, what is slow and broken, and who pushes to it. */
export function WorkflowPage({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: MetricsSearch;
  onChange: ChangeSearch;
}) {
  const { repository, workflow, days, from, to, branch } = search;
  if (!isName(repository) || !isName(workflow))
    return (
      <>
        <PageHeader title={<PageTitle>Workflow</PageTitle>} end={null} />
        <PageBody>
          <Message title="No workflow chosen">
            <TextLink to="/integrations/$integrationId/overview" params={{ integrationId }}>
              Choose one on the overview
            </TextLink>
          </Message>
        </PageBody>
      </>
    );
  return (
    <Named
      key={JSON.stringify([repository, workflow])}
      integrationId={integrationId}
      search={{ repository, workflow, days, from, to, branch }}
      onChange={onChange}
    />
  );
}

function isName(text: string | undefined): text is string {
  return text !== undefined && text.length <= longestLinkedName;
}

function Named({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: WorkflowSearch;
  onChange: ChangeSearch;
}) {
  const reading = useWorkflow(integrationId, search);
  return (
    <>
      <PageHeader
        title={
          <div className="min-w-0">
            <PageTitle>{clip(search.workflow, 100)}</PageTitle>
            <bdi className="block text-xs wrap-anywhere text-muted">{search.repository}</bdi>
          </div>
        }
        end={
          <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2 md:justify-end">
            <NotifyMe search={{ repository: search.repository, workflow: search.workflow }} />
            <WorkflowOwner
              integrationId={integrationId}
              repository={search.repository}
              workflow={search.workflow}
            />
            <HideWorkflow
              integrationId={integrationId}
              repository={search.repository}
              workflow={search.workflow}
            />
          </div>
        }
      >
        <WorkflowToolbar search={search} onChange={onChange} />
      </PageHeader>
      <PageBody>
        <Loaded reading={reading} what="workflow" skeletonRows={12}>
          {(data) =>
            data.runs.length === 0 && data.metrics.total.runs === 0 ? (
              <Message title="No runs of this workflow">
                <p className="text-muted">
                  The runs may be deleted, or the workflow was renamed. Choose a longer period or all
                  branches.
                </p>
              </Message>
            ) : (
              <Content integrationId={integrationId} data={data} onChange={onChange} />
            )
          }
        </Loaded>
      </PageBody>
    </>
  );
}

function Content({
  integrationId,
  data,
  onChange,
}: {
  integrationId: string;
  data: WorkflowData;
  onChange: ChangeSearch;
}) {
  const { search, metrics, jobs, steps, runs, onDefault, people, incidents, failures } = data;
  const { repository, workflow, branch } = search;
  const links = figureLinks(metrics, search);
  return (
    <>
      <DefaultBranch page={onDefault} workflow={workflow} />
      <WorkflowFigures metrics={metrics} links={links} />
      <MetricsCharts metrics={metrics} links={links} onChange={onChange} />
      <OpenProblems
        integrationId={integrationId}
        name={{ repository, workflow }}
        incidents={incidents}
        failures={failures}
      />
      <PagePart title="Slowest jobs" isEmpty={jobs.length === 0}>
        <SlowJobs jobs={jobs} links={links} />
      </PagePart>
      <PagePart
        title="Slowest steps"
        note={`In the newest ${comparedRuns} runs of the period, compared with as many of the period before.`}
        isEmpty={steps.length === 0}
      >
        <SlowSteps steps={steps} />
      </PagePart>
      <PagePart title="Who starts its runs" isEmpty={people.facets.actor.length === 0}>
        <Pushers people={people} />
      </PagePart>
      <PagePart
        title="Newest runs"
        end={
          <TextLink
            to="/integrations/$integrationId/runs"
            params={{ integrationId }}
            search={{ ...workflowFilter({ repository, workflow }), branchClass: branch }}
          >
            All runs
          </TextLink>
        }
        isEmpty={runs.length === 0}
      >
        <RunTable runs={runs} />
      </PagePart>
      <OtherPages integrationId={integrationId} search={search} />
    </>
  );
}

function OtherPages({ integrationId, search }: { integrationId: string; search: WorkflowData['search'] }) {
  const { repository, workflow, branch, from, to, days = defaultDays } = search;
  const params = { integrationId };
  return (
    <p className="flex flex-wrap gap-x-6 gap-y-1 px-4 pt-8">
      <TextLink
        to="/integrations/$integrationId/metrics"
        params={params}
        search={{ ...search, groupBy: 'job' }}
      >
        All metrics
      </TextLink>
      <TextLink
        to="/integrations/$integrationId/what-changed"
        params={params}
        search={{ repository, workflow, branch, from, to, days: changeDays.find((each) => each === days) }}
      >
        What changed
      </TextLink>
    </p>
  );
}

/** Period and class of branches. */
function WorkflowToolbar({
  search: { days = defaultDays, from, to, branch },
  onChange,
}: {
  search: MetricsSearch;
  onChange: (change: MetricsSearch) => void;
}) {
  return (
    <search className="contents">
      <PeriodFilter days={days} from={from} to={to} choices={metricDays} onChange={onChange} />
      <BranchClassFilter value={branch} onChoose={(chosen) => onChange({ branch: chosen })} />
    </search>
  );
}
