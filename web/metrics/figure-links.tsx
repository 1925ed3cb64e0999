import type { ReactNode } from 'react';
import type { FailureCount, FlakyJob, MetricGroup, Metrics } from '#contract/metrics/metrics.ts';
import type { JobFilter } from '#contract/runs/jobs.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { JobsLink, RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, periodOf, spanPeriod, workflowFilter, type Span } from '../runs/period.ts';
import type { MetricsSearch } from './metrics-search.ts';
import { formatNumber } from '../ui/locale.ts';

export type FigureLinks = ReturnType<typeof figureLinks>;

/** The figures of metrics as links to the lists that they count, with the period and the filters of the page. */
export function figureLinks(integrationId: string, metrics: Metrics, search: MetricsSearch) {
  const { unit, period, ofBranch, runFilter, jobFilter } = filtersOf(metrics, search);
  const { runs, jobs } = countLinks(integrationId, runFilter, jobFilter);
  /** Runs or jobs, as the page counts them. */
  const counted = (
    count: number,
    filter: Pick<RunFilter, 'conclusion' | 'attempt' | 'completedFrom' | 'completedTo'>,
    text?: string,
  ) => (unit === 'runs' ? runs(count, filter, text) : jobs(count, filter, text));

  return {
    integrationId,
    unit,
    counted,
    /** The list of the runs or jobs that completed in a span, with the filters of the page. */
    listOf: (span: Span) =>
      unit === 'runs'
        ? ({
            to: '/integrations/$integrationId/runs',
            search: { ...runFilter, ...spanPeriod(span) },
          } as const)
        : ({
            to: '/integrations/$integrationId/jobs',
            search: { ...jobFilter, ...spanPeriod(span) },
          } as const),
    ofStep: (count: number, span: Span, text: string): ReactNode =>
      count === 0 ? text : counted(count, spanPeriod(span), text),
    ofJobs: (count: number, filter: JobFilter): ReactNode => jobs(count, filter, numbered(count, 'job')),
    /** The jobs whose minutes are added up. */
    ofMinutes: (minutes: number): ReactNode => jobs(undefined, {}, formatNumber(minutes)),
    /** Filters do not apply to runners, because a runner belongs to no repository. */
    ofRunner: (count: number, runnerName: string): ReactNode => (
      <JobsLink integrationId={integrationId} count={count} filter={{ ...period, runnerName }}>
        {numbered(count, 'job')}
      </JobsLink>
    ),
    ofGroup: (group: MetricGroup): ReactNode => {
      const ofClass = group.branch === null ? {} : { branchClass: group.branch };
      return unit === 'runs'
        ? runs(group.runs, { ...workflowFilter(group), ...ofClass }, numbered(group.runs, 'run'))
        : jobs(group.runs, groupOfJobs(group), numbered(group.runs, 'job'));
    },
    ofFailures: ({ failed, runs: all, job, ...name }: FailureCount): ReactNode => {
      const ofAll = `of ${formatNumber(all)}`;
      if (job === null && unit === 'runs') {
        const filter = workflowFilter(name);
        return pair(runs(failed, { ...filter, ...failedOnly }), runs(all, filter, ofAll));
      }
      const filter = { ...name, ...(job === null ? {} : { job }) };
      return pair(jobs(failed, { ...filter, ...failedOnly }), jobs(all, filter, ofAll));
    },
    ofFlips: ({ flips, repository: repo, workflow: of, job }: FlakyJob): ReactNode => (
      <JobsLink
        integrationId={integrationId}
        count={flips}
        filter={{ ...period, ...ofBranch, repository: repo, workflow: of, job, attempt: 'flip' }}
      >
        {`${formatNumber(flips)} ×`}
      </JobsLink>
    ),
  };
}

/** Counts as links to the runs or jobs with these filters and those of the figure. */
function countLinks(integrationId: string, runFilter: RunFilter, jobFilter: JobFilter) {
  const runs = (count: number, filter: RunFilter, text?: string): ReactNode => (
    <RunsLink integrationId={integrationId} count={count} filter={{ ...runFilter, ...filter }}>
      {text ?? formatNumber(count)}
    </RunsLink>
  );
  const jobs = (count: number | undefined, filter: JobFilter, text?: string): ReactNode => (
    <JobsLink integrationId={integrationId} count={count} filter={{ ...jobFilter, ...filter }}>
      {text ?? formatNumber(count ?? 0)}
    </JobsLink>
  );
  return { runs, jobs };
}

/** The filters of the page, for the lists of runs and jobs. */
function filtersOf(metrics: Metrics, { repository, workflow, branch, runner, groupBy }: MetricsSearch) {
  const period = periodOf(metrics);
  const ofBranch = branch === undefined ? {} : { branchClass: branch };
  const runFilter: RunFilter = { ...period, ...ofBranch, ...workflowFilter({ repository, workflow }) };
  const jobFilter: JobFilter = {
    ...period,
    ...ofBranch,
    ...(repository === undefined ? {} : { repository }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(runner === undefined ? {} : { runner }),
  };
  /** Runs have no runner, so with a filter or group by runner or job the figures count jobs. */
  const isOfJobs = runner !== undefined || groupBy === 'runner' || groupBy === 'job';
  const unit: 'runs' | 'jobs' = isOfJobs ? 'jobs' : 'runs';
  return { unit, period, ofBranch, runFilter, jobFilter };
}

function groupOfJobs({ repository, workflow, job, branch, runner }: MetricGroup): JobFilter {
  return {
    ...(repository === null ? {} : { repository }),
    ...(workflow === null ? {} : { workflow }),
    ...(job === null ? {} : { job }),
    ...(branch === null ? {} : { branchClass: branch }),
    ...(runner === null ? {} : { runner }),
  };
}

const numbered = (count: number, noun: 'run' | 'job'): string =>
  `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

function pair(first: ReactNode, second: ReactNode): ReactNode {
  return (
    <>
      {first} {second}
    </>
  );
}
