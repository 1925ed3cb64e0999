import { redConclusions, decidedConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { literals } from '#platform/database/rows/literals.ts';
import { joinResult } from '#server/runs/latest/stored-result.ts';

/** Why a job failed, as its failure group says. */
export interface JobGroup {
  jobId: number;
  groupId: string;
  isSpecific: boolean;
  /** The test of the group, if nothing else failed in the job. */
  onlyTestId: string | null;
}

export function listJobGroups(
  tx: Tx,
  integrationId: string,
  jobs: readonly { runId: number; attempt: number; jobId: number }[],
): Promise<JobGroup[]> {
  return tx.rows<JobGroup>({
    name: 'list-groups-of-checks',
    text: `select f.job_id::float8 as "jobId", g.failure_group_id as "groupId", g.is_specific as "isSpecific",
             case when f.other_subjects = '{}' then g.test_id end as "onlyTestId"
           from unnest($2::bigint[], $3::integer[], $4::bigint[]) k (run_id, attempt, job_id)
           join failure_reasons f on f.integration_id = $1 and f.run_id = k.run_id and f.attempt = k.attempt and f.job_id = k.job_id
           join failure_groups g on g.integration_id = $1 and g.failure_group_id = f.failure_group_id`,
    values: [
      integrationId,
      jobs.map(({ runId }) => runId),
      jobs.map(({ attempt }) => attempt),
      jobs.map(({ jobId }) => jobId),
    ],
  });
}

export interface SameFailure {
  groupId: string;
  number: number;
  runId: number;
}

/** Newest failures of a group that are looked at. */
const maxFailures = 300;

/**
 * The open pull requests whose newest commit has a failure of the groups, those that failed last first: the newest result of
 * a run has the failure, and no newer run of the workflow replaced it. Pull requests at the commit `headSha` are left out.
 */
export function listSameFailures(
  tx: Tx,
  integrationId: string,
  groupIds: readonly string[],
  headSha: string,
): Promise<SameFailure[]> {
  return tx.rows<SameFailure>({
    name: 'list-same-failures',
    text: `select s.failure_group_id as "groupId", p.number::float8 as number, max(r.run_id)::float8 as "runId"
           from unnest($2::uuid[]) g (id)
           cross join lateral (
             select * from failure_reasons f where f.integration_id = $1 and f.failure_group_id = g.id
             order by f.failed_at desc limit ${maxFailures}) s
           join workflow_runs r on r.integration_id = $1 and r.run_id = s.run_id
           ${joinResult('r')}
           join pull_requests p on p.integration_id = $1 and p.head_sha = r.head_sha and p.repository = r.repository
             and p.state = 'open'
           where result.attempt = s.attempt and result.conclusion in ${literals(redConclusions)} and r.head_sha <> $3
             and not exists (
               select from workflow_runs n
               where n.integration_id = $1 and n.head_sha = r.head_sha and n.repository = r.repository
                 and n.workflow_key = r.workflow_key and n.event is not distinct from r.event
                 and (n.created_at, n.run_id) > (r.created_at, r.run_id) and n.conclusion in ${literals(decidedConclusions)})
           group by 1, 2 order by max(s.failed_at) desc, 2`,
    values: [integrationId, groupIds, headSha],
  });
}

/** A run of the base branch, and the check that is compared with it. */
export interface BaseRun {
  runId: number;
  attempt: number;
  /** When the run of the pull request began, in milliseconds. */
  checkedAt: number;
}

export interface BaseJob {
  runId: number;
  name: string;
  conclusion: string;
  at: Date | null;
  groupId: string | null;
}

/** Of each job with one of the names, its newest result in the run: of several of one name a failure. Runs of forks are left out. */
export function listBaseJobs(
  tx: Tx,
  integrationId: string,
  runs: readonly BaseRun[],
  names: readonly string[],
): Promise<BaseJob[]> {
  return tx.rows<BaseJob>({
    name: 'list-jobs-of-base',
    text: `select distinct on (k.run_id, j.name) k.run_id::float8 as "runId", j.name, j.conclusion, j.completed_at as at,
             f.failure_group_id as "groupId"
           from unnest($2::bigint[], $3::integer[]) k (run_id, attempt)
           join workflow_runs r on r.integration_id = $1 and r.run_id = k.run_id
             and coalesce(r.head_repository, r.repository) = r.repository
           join workflow_jobs j on j.integration_id = $1 and j.run_id = k.run_id and j.attempt <= k.attempt
             and j.name = any ($4) and j.conclusion in ${literals(decidedConclusions)}
           left join failure_reasons f on f.integration_id = $1 and f.run_id = j.run_id and f.attempt = j.attempt
             and f.job_id = j.job_id
           order by k.run_id, j.name, j.attempt desc, j.conclusion = 'success', j.job_id desc`,
    values: [integrationId, runs.map(({ runId }) => runId), runs.map(({ attempt }) => attempt), names],
  });
}

/** Which of the runs a newer commit of the base branch followed that has no result and that the check began after. */
export function listUntested(tx: Tx, integrationId: string, runs: readonly BaseRun[]): Promise<number[]> {
  return tx.column<number>({
    name: 'list-untested-bases',
    text: `select k.run_id::float8 from unnest($2::bigint[], $3::timestamptz[]) k (run_id, checked_at)
           join workflow_runs r on r.integration_id = $1 and r.run_id = k.run_id
           where exists (
             select from workflow_runs w
             where w.integration_id = $1 and w.workflow_key = r.workflow_key and w.head_branch = r.head_branch
               and w.on_default_branch = r.on_default_branch and w.created_at > r.created_at
               and w.created_at <= k.checked_at and (w.status <> 'completed' or w.conclusion = 'cancelled'))`,
    values: [
      integrationId,
      runs.map(({ runId }) => runId),
      runs.map(({ checkedAt }) => new Date(checkedAt).toISOString()),
    ],
  });
}

/** Null when the repository has none or is not known. */
export async function findDefaultBranch(
  tx: Tx,
  integrationId: string,
  repository: string,
): Promise<string | null> {
  const branch = await tx.value<string | null>(
    'select default_branch from repositories where integration_id = $1 and repository = $2',
    [integrationId, repository],
  );
  return branch ?? null;
}
