import type { ReactNode } from 'react';
import type { FailureCount, FlakyJob, MetricGroup, Metrics } from '#contract/metrics/metrics.ts';
import type { JobFilter } from '#contract/runs/jobs.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { JobsLink, RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, periodOf, workflowFilter } from '../runs/period.ts';
import type { MetricsSearch } from './metrics-search.ts';

export type FigureLinks = ReturnType<typeof figureLinks>;

/** The figures of metrics as links to the lists that they count, with the period and the filters of the page. */
export function figureLinks(integrationId: string, metrics: Metrics, search: MetricsSearch) {
  const { repository, workflow, branch, runner } = search;
  const ofBranch = branch === undefined ? {} : { branchClass: branch };
  const period = periodOf(metrics);
  const jobFilter: JobFilter = {
    ...period,
    ...ofBranch,
    ...(repository === undefined ? {} : { repository }),
    ...(workflow === undefined ? {} : { workflow }),
  };
  const runFilter: RunFilter = { ...period, ...ofBranch, ...workflowFilter({ repository, workflow }) };
  /** Runs have no runner, so with a filter by runner the figures count jobs. */
  const unit = runner === undefined && search.groupBy !== 'runner' ? 'runs' : 'jobs';

  const runs = (count: number, filter: RunFilter, text?: string): ReactNode => (
    <RunsLink integrationId={integrationId} count={count} filter={{ ...runFilter, ...filter }}>
      {text ?? count.toLocaleString()}
    </RunsLink>
  );
  const jobs = (count: number | undefined, filter: JobFilter, text?: string): ReactNode => (
    <JobsLink
      integrationId={integrationId}
      count={count}
      filter={{ ...jobFilter, ...(runner === undefined ? {} : { runner }), ...filter }}
    >
      {text ?? count?.toLocaleString()}
    </JobsLink>
  );
  /** Runs or jobs, as the page counts them. */
  const counted = (count: number, filter: Pick<RunFilter, 'conclusion' | 'attempt'>, text?: string) =>
    unit === 'runs' ? runs(count, filter, text) : jobs(count, filter, text);

  return {
    unit,
    counted,
    ofJobs: (count: number, filter: JobFilter): ReactNode =>
      jobs(count, filter, `${count.toLocaleString()} jobs`),
    /** The jobs whose minutes are added up. */
    ofMinutes: (minutes: number): ReactNode => jobs(undefined, {}, minutes.toLocaleString()),
    /** Filters do not apply to runners, because a runner belongs to no repository. */
    ofRunner: (count: number, runnerName: string): ReactNode => (
      <JobsLink integrationId={integrationId} count={count} filter={{ ...period, runnerName }}>
        {`${count.toLocaleString()} jobs`}
      </JobsLink>
    ),
    ofGroup: (group: MetricGroup): ReactNode => {
      const ofClass = group.branch === null ? {} : { branchClass: group.branch };
      return unit === 'runs'
        ? runs(group.runs, { ...workflowFilter(group), ...ofClass }, `${group.runs.toLocaleString()} runs`)
        : jobs(group.runs, groupOfJobs(group), `${group.runs.toLocaleString()} jobs`);
    },
    ofFailures: ({ failed, runs: all, job, ...name }: FailureCount): ReactNode => {
      const ofAll = `of ${all.toLocaleString()}`;
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
        {`${flips.toLocaleString()} ×`}
      </JobsLink>
    ),
  };
}

function groupOfJobs({ repository, workflow, branch, runner }: MetricGroup): JobFilter {
  return {
    ...(repository === null ? {} : { repository }),
    ...(workflow === null ? {} : { workflow }),
    ...(branch === null ? {} : { branchClass: branch }),
    ...(runner === null ? {} : { runner }),
  };
}

function pair(first: ReactNode, second: ReactNode): ReactNode {
  return (
    <>
      {first} {second}
    </>
  );
}
