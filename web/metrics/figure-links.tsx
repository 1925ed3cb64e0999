import type { ReactNode } from 'react';
import { firstTryOnly, firstTryRate } from '#contract/metrics/first-try.ts';
import type { FailureCount, MetricGroup, MetricNumbers, Metrics } from '#contract/metrics/metrics.ts';
import type { JobFilter } from '#contract/runs/jobs.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { JobsLink, RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, periodOf, spanPeriod, workflowFilter, type Span } from '../runs/period.ts';
import type { MetricsSearch } from './metrics-search.ts';
import { formatCount, formatNumber, formatPercent } from '../ui/locale.ts';

export type FigureLinks = ReturnType<typeof figureLinks>;

/** The figures of a period as links to the lists that they count, with the filters of the page. */
export function figureLinks(ofPeriod: Pick<Metrics, 'from' | 'to'>, search: MetricsSearch) {
  const { runFilter, jobFilter } = filtersOf(ofPeriod, search);
  const { runs, jobs } = countLinks(runFilter, jobFilter);
  const { runner, groupBy } = search;
  // Runs have no runner, so with a filter or group by runner or job the figures count jobs.
  const isOfJobs = runner !== undefined || groupBy === 'runner' || groupBy === 'job';
  /** Runs or jobs, as the page counts them. */
  const counted = (
    count: number,
    filter: Pick<RunFilter, 'conclusion' | 'attempt' | 'completedFrom' | 'completedTo'>,
    text?: string,
  ): ReactNode => (isOfJobs ? jobs(count, filter, text) : runs(count, filter, text));

  return {
    unit: isOfJobs ? ('jobs' as const) : ('runs' as const),
    counted,
    firstTry: isOfJobs ? () => null : firstTryLink(runs),
    /** The list of the runs or jobs that completed in a span. */
    listOf: (span: Span) =>
      isOfJobs
        ? ({
            to: '/integrations/$integrationId/jobs',
            search: { ...jobFilter, ...spanPeriod(span) },
          } as const)
        : ({
            to: '/integrations/$integrationId/runs',
            search: { ...runFilter, ...spanPeriod(span) },
          } as const),
    ofStep: (count: number, span: Span, text: string): ReactNode =>
      count === 0 ? text : counted(count, spanPeriod(span), text),
    ofJobs: (count: number, filter: JobFilter): ReactNode => jobs(count, filter, formatCount(count, 'job')),
    /** The jobs whose minutes are added up. */
    ofMinutes: (minutes: number): ReactNode => (
      <JobsLink filter={jobFilter}>{formatNumber(minutes)}</JobsLink>
    ),
    /** Filters do not apply to runners, because a runner belongs to no repository. */
    ofRunner: (count: number, runnerName: string): ReactNode => (
      <JobsLink count={count} filter={{ ...periodOf(ofPeriod), runnerName }}>
        {formatCount(count, 'job')}
      </JobsLink>
    ),
    ofGroup: (group: MetricGroup): ReactNode =>
      isOfJobs
        ? jobs(group.runs, groupOfJobs(group), formatCount(group.runs, 'job'))
        : runs(
            group.runs,
            { ...workflowFilter(group), ...(group.branch && { branchClass: group.branch }) },
            formatCount(group.runs, 'run'),
          ),
    ofFailures: ({ failed, runs: all, job, ...name }: FailureCount): ReactNode => {
      const ofAll = `of ${formatNumber(all)}`;
      if (job === null && !isOfJobs) {
        const filter = workflowFilter(name);
        return pair(runs(failed, { ...filter, ...failedOnly }), runs(all, filter, ofAll));
      }
      const filter = { ...name, job: job ?? undefined };
      return pair(jobs(failed, { ...filter, ...failedOnly }), jobs(all, filter, ofAll));
    },
  };
}

/** The share of runs that passed at the first try. Of jobs each attempt counts, so they have none. */
function firstTryLink(runs: CountLink<RunFilter>) {
  return (numbers: MetricNumbers, textOf: (share: string) => string): ReactNode => {
    const rate = firstTryRate(numbers);
    if (rate === null) return null;
    return runs(numbers.succeeded - numbers.recovered, firstTryOnly, textOf(formatPercent(rate)));
  };
}

type CountLink<Filter> = (count: number, filter: Filter, text?: string) => ReactNode;

/** The filters of the page, for the lists of runs and jobs. */
function filtersOf(
  ofPeriod: Pick<Metrics, 'from' | 'to'>,
  { repository, workflow, branch, runner }: MetricsSearch,
) {
  const shared = { ...periodOf(ofPeriod), branchClass: branch };
  const runFilter: RunFilter = { ...shared, ...workflowFilter({ repository, workflow }) };
  const jobFilter: JobFilter = { ...shared, repository, workflow, runner };
  return { runFilter, jobFilter };
}

/** Counts as links to the runs or jobs with these filters and those of the figure. */
function countLinks(runFilter: RunFilter, jobFilter: JobFilter) {
  const runs = (count: number, filter: RunFilter, text = formatNumber(count)): ReactNode => (
    <RunsLink count={count} filter={{ ...runFilter, ...filter }}>
      {text}
    </RunsLink>
  );
  const jobs = (count: number, filter: JobFilter, text = formatNumber(count)): ReactNode => (
    <JobsLink count={count} filter={{ ...jobFilter, ...filter }}>
      {text}
    </JobsLink>
  );
  return { runs, jobs };
}

function groupOfJobs({ repository, workflow, job, branch, runner }: MetricGroup): JobFilter {
  return {
    ...(repository !== null && { repository }),
    ...(workflow !== null && { workflow }),
    ...(job !== null && { job }),
    ...(branch !== null && { branchClass: branch }),
    ...(runner !== null && { runner }),
  };
}

function pair(first: ReactNode, second: ReactNode): ReactNode {
  return (
    <>
      {first} {second}
    </>
  );
}
