import type { FirstBad, LastGreen } from '#contract/failures/blame.ts';
import { redConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { literals } from '#platform/database/rows/literals.ts';
import type { BranchCommit } from '../commits/commit-range-store.ts';
import type { AsOf } from '../run-failures/failing-job-store.ts';
import { maxCandidates } from './candidates.ts';
import { branchOfRun, isOfMergeGroup } from '#server/runs/objects/branch-of-run.ts';
import { decidedAttempts, joinResult } from '#server/runs/latest/stored-result.ts';
import { staleAfterDays } from '#server/runs/latest/workflow-states.ts';

/** How a workflow became red on a branch, as of one of its red runs. */
export interface StreakStart {
  runId: number;
  attempt: number;
  since: string;
  /** False when the streak may have begun before the scanned runs. */
  sinceIsKnown: boolean;
  failures: number;
  firstRunId: number;
  firstAttempt: number;
  /** The merge queue tests a pull request together with those before it. */
  isMergeGroup: boolean;
  lastGreen: LastGreen | null;
  repository: string;
  /** Of the first failure. */
  firstSha: string | null;
  firstUrl: string | null;
  /** The newest commits of the branch after the last success up to the first failure, oldest first, as the forge told. Null when it did not. */
  ofForge: BranchCommit[] | null;
  /** Commits on the branch after the last success up to the first failure, oldest first. `actor` is who pushed it, if that is known. */
  commits: FirstBad[];
}

/** Runs of the branch that are searched; on the default branch those of the workflow. */
const maxScanned = 200;
/** Runs between the last success and the first failure that are searched for commits. */
const maxBetween = 200;

const isSameWorkflow = `n.repository = a.repository
  and (n.head_branch is not distinct from a.head_branch or a.is_group and ${branchOfRun('n')} = ${branchOfRun('a')})
  and n.workflow_name is not distinct from a.workflow_name
  and coalesce(n.head_repository, n.repository) = coalesce(a.head_repository, a.repository)`;

/** The default branch has an index by workflow. Merge groups are found by their pull request, and other branches have few runs. */
const upTo = (after = 'true') => `(
  (select * from workflow_runs w where a.on_default_branch and w.integration_id = $1 and w.on_default_branch
     and w.workflow_key = a.workflow_key and (w.created_at, w.run_id) <= (a.created_at, a.run_id) and ${after}
   order by w.created_at desc, w.run_id desc limit ${maxScanned})
  union all
  (select * from workflow_runs w where a.is_group and w.integration_id = $1
     and w.first_pull_request = a.first_pull_request and (w.created_at, w.run_id) <= (a.created_at, a.run_id) and ${after}
   order by w.created_at desc, w.run_id desc limit ${maxScanned})
  union all
  (select * from workflow_runs w where not a.on_default_branch and not a.is_group and w.integration_id = $1
     and w.branch_key = a.branch_key and (w.created_at, w.run_id) <= (a.created_at, a.run_id) and ${after}
   order by w.created_at desc, w.run_id desc limit ${maxScanned}))`;

/** The attempt of a run that says whether it is red. Its re-run may be in progress. */
const newestResult = (run: string): string => `(select max(attempt) from (${decidedAttempts(run)}) decided)`;

/** Events of a commit. The actor of others, such as a schedule, is not its author. */
const pushEvents = literals(['push', 'pull_request', 'pull_request_target']);

/** As of the end of the run, a re-run of an earlier one that ended later says nothing. */
const isKnown = `coalesce(completed_at, '-infinity') <= a.known_until`;

/** When the run was begun, or run again, in which it became red after the last success, which may be an earlier attempt of it. */
const firstRedAttempt = (run: string): string => `
  select case when d.attempt = 1 then ${run}.created_at else coalesce(d.started_at, ${run}.created_at) end as red_at
  from (${decidedAttempts(run)}) d
  where d.conclusion in ${literals(redConclusions)} and ${isKnown}
    and (${run}.run_id <> green.run_id or d.attempt > green.attempt)
  order by d.attempt limit 1`;

/** The red runs after the newest success. Of these, runs before a long time without any do not count: the red state that they began has ended. */
const streak = `
  select min(s.red_at) filter (where s.counts) as since, count(s.red_at) filter (where s.counts)::int as failures,
    bool_and(s.counts) and not green.is_known and count(*) = ${maxScanned} as is_cut, not bool_and(s.counts) as was_stale,
    (array_agg(s.run_id order by s.red_at, s.run_id) filter (where s.counts and s.red_at is not null))[1] as first_run_id
  from (
    select *, created_at >= coalesce(max(created_at) filter (where is_after_gap) over (), created_at) as counts
    from (
      select n.run_id, n.created_at, began.red_at,
        ${isSameWorkflow} and lag(n.run_id) over same_workflow <> green.run_id
          and n.created_at - lag(n.created_at) over same_workflow > interval '${staleAfterDays} days' as is_after_gap
      from ${upTo('(w.created_at, w.run_id) >= (green.created_at, green.run_id)')} n ${joinResult('n', isKnown)}
      left join lateral (${firstRedAttempt('n')}) began
        on result.conclusion in ${literals(redConclusions)} and ${isSameWorkflow}
      window same_workflow as (partition by ${isSameWorkflow} order by n.created_at, n.run_id)) r) s`;

/**
 * By run. Runs that are not red are missing. Nothing that began after a run counts, and as of the run nothing that ended after it. The caller
 * bounds the number of runs.
 */
export function listStreakStarts(
  tx: Tx,
  integrationId: string,
  runIds: readonly number[],
  asOf: AsOf,
): Promise<StreakStart[]> {
  return tx.rows<StreakStart>({
    name: 'list-streak-starts',
    text: `select a.run_id::float8 as "runId", ${newestResult('a')} as attempt, ${isoTime('streak.since')} as since,
             not streak.is_cut as "sinceIsKnown", streak.failures, first.run_id::float8 as "firstRunId",
             ${newestResult('first')} as "firstAttempt", a.is_group as "isMergeGroup", first.repository, first.head_sha as "firstSha", first.url as "firstUrl",
             (select c.branch_commits from commit_ranges c where c.integration_id = $1 and c.repository = first.repository
                and c.base_sha = green.head_sha and c.head_sha = first.head_sha and c.state = 'read') as "ofForge",
             case when green.is_known and not streak.was_stale then json_build_object('runId', green.run_id, 'sha', green.head_sha,
               'at', ${isoTime('green.created_at')}) end as "lastGreen",
             coalesce(between_both.commits, '[]') as commits
           from (select distinct unnest($2::bigint[]) as run_id) k
           cross join lateral (
             select *, ${isOfMergeGroup('r')} as is_group,
               case when $3 then (select max(d.completed_at) from (${decidedAttempts('r')}) d) else 'infinity' end as known_until
             from workflow_runs r
             where r.integration_id = $1 and r.run_id = k.run_id) a
           cross join lateral (
             select coalesce(max(g.created_at), '-infinity') as created_at, coalesce(max(g.run_id), 0) as run_id,
               coalesce(max(g.attempt), 0) as attempt, max(g.head_sha) as head_sha, count(*) = 1 as is_known
             from (
               select n.created_at, n.run_id, n.head_sha, result.attempt
               from ${upTo()} n ${joinResult('n', `${isKnown} and conclusion = 'success'`)}
               where result.attempt is not null and ${isSameWorkflow}
               order by n.created_at desc, n.run_id desc limit 1) g) green
           cross join lateral (${streak}) streak
           join workflow_runs first on first.integration_id = $1 and first.run_id = streak.first_run_id
           left join lateral (
             select json_agg(json_build_object('runId', c.run_id, 'sha', c.head_sha, 'title', c.title, 'actor', c.actor)
               order by c.created_at, c.run_id) as commits
             from (
               select b.head_sha, min(b.created_at) as created_at,
                 coalesce(max(b.run_id) filter (where b.run_id = first.run_id), min(b.run_id)) as run_id,
                 (array_agg(coalesce(b.title, b.commit_message) order by b.is_other, b.created_at, b.run_id))[1] as title,
                 (array_agg(coalesce(b.actor, b.triggering_actor) order by b.is_other, b.created_at, b.run_id)
                   filter (where coalesce(b.event, 'push') in ${pushEvents}))[1] as actor
               from (
                 select w.*, w.run_id <> first.run_id as is_other from workflow_runs w
                 where w.integration_id = $1 and w.branch_key = first.branch_key
                   and (w.created_at, w.run_id) > (green.created_at, green.run_id)
                   and (w.created_at, w.run_id) <= (first.created_at, first.run_id)
                 order by w.created_at desc, w.run_id desc limit ${maxBetween}) b
               where b.repository = first.repository and b.head_sha is distinct from green.head_sha
                 and coalesce(b.head_repository, b.repository) = coalesce(first.head_repository, first.repository)
               group by b.head_sha order by created_at desc limit ${maxCandidates}) c) between_both on green.is_known and not streak.was_stale`,
    values: [integrationId, runIds, asOf === 'run'],
  });
}

function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The runs whose failure is the newest of an incident that a person closed, and no other one is open. */
export function listClosedByPeople(
  tx: Tx,
  integrationId: string,
  red: readonly { repository: string; workflow: string; branch: string | null; runId: number }[],
): Promise<number[]> {
  const isAbout = `i.integration_id = $1 and i.repository = r.repository and coalesce(i.workflow, '') = r.workflow
    and i.branch is not distinct from r.branch`;
  return tx.column<number>({
    name: 'list-closed-by-people',
    text: `select r.run_id::float8 from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) r (repository, workflow, branch, run_id)
           where exists (select from incidents i where ${isAbout} and i.close_reason = 'closed'
               and (i.last_failure ->> 'runId')::bigint >= r.run_id)
             and not exists (select from incidents i where ${isAbout} and i.closed_at is null)`,
    values: [integrationId, ...columnsOf(red, 'repository', 'workflow', 'branch', 'runId')],
  });
}
