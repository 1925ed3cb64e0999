import { literals } from '#platform/database/rows/literals.ts';
import { decidedConclusions } from '#contract/runs/conclusions.ts';
import { longestGroupName, type FlakyJob } from '#contract/metrics/metrics.ts';
import { earlierResult } from '#server/runs/jobs/stored-earlier-result.ts';
import type { Tx } from '#platform/database/database.ts';
import type { TimeSpan } from '#server/rollups/time-span.ts';

type Span = Pick<TimeSpan, 'from' | 'to'>;

function spanValues(integrationId: string, { from, to }: Span): [string, string, string] {
  return [integrationId, new Date(from).toISOString(), new Date(to).toISOString()];
}

/** Bounds the cost: at most this many re-runs are read, newest first. Only an integration with very many re-runs reaches it. */
const maxReruns = 5000;

/** Of a re-run `n` after the result `b`. */
const isFlip = `(n.conclusion = 'success') <> b.has_passed`;
const hasPassed = `not b.has_passed and n.conclusion = 'success'`;

/**
 * The jobs that the list of jobs shows as `flip`. Lists jobs whose re-run had another conclusion than the last earlier attempt of the same run that completed the job.
 * Different runs of one commit are not compared: that would need an index of all jobs by commit.
 */
export async function listFlakyJobs(
  tx: Tx,
  integrationId: string,
  span: Span,
  filter: {
    repository?: string | undefined;
    workflow?: string | undefined;
    onDefaultBranch?: boolean | undefined;
    /** Labels as one text. */
    runner?: string | undefined;
  },
  limit: number,
): Promise<FlakyJob[]> {
  const { rows } = await tx.query<
    Omit<FlakyJob, 'lastAt' | 'lastRunId'> & { lastAt: Date; lastRunId: string }
  >({
    name: `list-flaky-jobs ${limit}`,
    text: `select n.repository, coalesce(n.workflow_name, '') as workflow, n.name as job,
             count(*) filter (where ${isFlip})::int as flips,
             count(*) filter (where not b.has_passed)::int as retries,
             count(*) filter (where ${hasPassed})::int as "passedRetries",
             coalesce(round(sum(extract(epoch from b.completed_at - b.started_at) * 1000) filter (where ${hasPassed})), 0)::float8
               as "lostMs",
             max(n.completed_at) filter (where ${isFlip}) as "lastAt",
             (array_agg(n.run_id order by n.completed_at desc) filter (where ${isFlip}))[1]::text as "lastRunId"
           from (
             select * from workflow_jobs j
             where j.integration_id = $1 and j.attempt > 1 and j.completed_at >= $2 and j.completed_at < $3
             order by j.completed_at desc, j.job_id desc limit ${maxReruns}) n
           cross join lateral (${earlierResult('n')}) b
           where n.conclusion in ${literals(decidedConclusions)}
             and ($4::text is null or n.repository = $4) and ($5::text is null or coalesce(n.workflow_name, '') = $5)
             and ($6::boolean is null or n.on_default_branch = $6)
             and ($7::text is null or left(array_to_string(n.labels, ', '), ${longestGroupName}) = $7)
           group by 1, 2, 3 having count(*) filter (where ${isFlip}) > 0
           order by flips desc, "lastAt" desc limit ${limit}`,
    values: [
      ...spanValues(integrationId, span),
      filter.repository,
      filter.workflow,
      filter.onDefaultBranch,
      filter.runner,
    ],
  });
  return rows.map((row) => ({ ...row, lastAt: row.lastAt.toISOString(), lastRunId: Number(row.lastRunId) }));
}

export interface TimeToMerge {
  merged: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

/** Time from opening to merge of pull requests merged in the span. An index-only scan. */
export async function readTimeToMerge(
  tx: Tx,
  integrationId: string,
  span: Span,
  repository?: string,
): Promise<TimeToMerge> {
  const { rows } = await tx.query<TimeToMerge>({
    name: 'read-time-to-merge',
    text: `select count(*)::int as merged, percentile_disc(0.5) within group (order by ms) as "p50Ms",
             percentile_disc(0.95) within group (order by ms) as "p95Ms"
           from (
             select greatest(0, extract(epoch from p.merged_at - p.created_at) * 1000)::float8 as ms from pull_requests p
             where p.integration_id = $1 and p.merged_at is not null and p.merged_at >= $2 and p.merged_at < $3
               and p.created_at is not null and ($4::text is null or p.repository = $4)) m`,
    values: [...spanValues(integrationId, span), repository],
  });
  const { merged = 0, p50Ms = null, p95Ms = null } = rows[0] ?? {};
  return { merged, p50Ms: round(p50Ms), p95Ms: round(p95Ms) };
}

function round(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
