import { failedConclusions, redConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { literals } from '#platform/database/rows/literals.ts';
import { branchOfRun } from '#server/runs/objects/branch-of-run.ts';
import { hasOwnFailure, isNewerRun } from '#server/runs/objects/superseding-run.ts';
import { joinConnections } from '#server/forge-tasks/joined-connections.ts';
import { requestOfStored } from '#server/tasks/request-tasks.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import {
  conclusionForRules,
  factColumns,
  isHidden,
  isOfLeftBranch,
  notInFuture,
  type CompletionFacts,
} from './completion-facts.ts';
import { completionsToEvaluate, type OtherOpenNames } from './name-completion.ts';

export interface PendingEvaluation {
  integrationId: string;
  runId: number;
  attempt: number;
  jobId: number | null;
  isGreen: boolean;
  /** A run of the default branch that is green or red, or superseded after it seemed red. It counts without a rule. */
  isOfDefaultBranch: boolean;
  /** The delivery that reported it; null when the delivery is not in the log. */
  deliverySeq: string | null;
  /** Milliseconds since the epoch; null for a replay and for data that came without a webhook. */
  receivedAt: number | null;
}

export const evaluationTask = 'rule-evaluation';

/**
 * Runs in the transaction that stores the completions. Of integrations without rules it stores only runs of default branches. The
 * statement looks up the integrations with rules, because a copy in memory can miss a rule that was created a moment ago. It skips
 * a successful job whose run is stored, because the run's own completion counts. Exception: an open incident without a workflow or
 * branch name, which no run can close.
 */
export async function insertPendingEvaluations(
  tx: Tx,
  completions: readonly PendingEvaluation[],
): Promise<void> {
  await tx.query({
    name: 'insert-pending-evaluations',
    text: `with stored as (
           insert into pending_evaluations (group_id, run_id, attempt, job_id, delivery_seq, received_at)
           select group_id, run_id, attempt, job_id, delivery_seq, received_at
           from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[], $5::boolean[], $6::boolean[], $7::bigint[],
             $8::timestamptz[]) as c (group_id, run_id, attempt, job_id, is_green, is_of_default_branch, delivery_seq, received_at)
           where (is_of_default_branch or exists (select from integrations_with_rules i where i.group_id = c.group_id))
             and not (is_green and job_id is not null and exists (
               select from workflow_runs r where r.integration_id = c.group_id and r.run_id = c.run_id) and not exists (
               select from incidents i where i.integration_id = c.group_id and i.closed_at is null
                 and (i.workflow is null or i.branch is null)))
           returning group_id) ${requestOfStored(evaluationTask)}`,
    values: [
      ...columnsOf(
        completions,
        'integrationId',
        'runId',
        'attempt',
        'jobId',
        'isGreen',
        'isOfDefaultBranch',
        'deliverySeq',
      ),
      completions.map(({ receivedAt }) => (receivedAt === null ? null : new Date(receivedAt))),
    ],
  });
}

/** In place of the id of a rule: incidents count the failure, and no rule evaluates it. */
export const noRule = '00000000-0000-0000-0000-000000000000';

/** Stores failures that only one rule evaluates. They are red now, so they are notified, however old they are. */
export async function insertForRule(
  tx: Tx,
  integrationId: string,
  ruleId: string,
  failures: readonly Pick<Completion, 'runId' | 'attempt' | 'jobId'>[],
): Promise<void> {
  await tx.query(
    `with stored as (
     insert into pending_evaluations (group_id, run_id, attempt, job_id, received_at, rule_id)
     select $1, run_id, attempt, job_id, now(), $2
     from unnest($3::bigint[], $4::integer[], $5::bigint[]) c (run_id, attempt, job_id)
     returning group_id) ${requestOfStored(evaluationTask)}`,
    [integrationId, ruleId, ...columnsOf(failures, 'runId', 'attempt', 'jobId')],
  );
}

/** The newest runs of a workflow that are searched for its last success. */
const maxRunsSinceSuccess = 200;

/** The red runs of these workflows and branches since their last success, as far as it is among the newest runs. */
export function listRedRuns(
  tx: Tx,
  integrationId: string,
  workflows: readonly { repository: string; workflow: string; branch: string | null }[],
): Promise<Pick<PendingEvaluation, 'runId' | 'attempt' | 'jobId'>[]> {
  return tx.rows(
    // `offset 0` computes the keys first: with row-level security, a function in the condition would prevent the index scan.
    `select w.run_id::float8 as "runId", w.attempt, null as "jobId"
     from (select hashtextextended(n.workflow, hashtextextended(n.repository, 0)) as key, n.branch
           from unnest($2::text[], $3::text[], $4::text[]) n (repository, workflow, branch) offset 0) k
     cross join lateral (
       select r.*, bool_or(r.conclusion = 'success') over (order by r.created_at desc, r.run_id desc) as is_over
       from (select * from workflow_runs w
             where w.integration_id = $1 and w.on_default_branch and w.workflow_key = k.key
             order by w.created_at desc, w.run_id desc limit ${maxRunsSinceSuccess}) r
       where r.head_branch is not distinct from k.branch) w
     where w.conclusion in ${literals(redConclusions)} and w.superseded_by is null and w.is_over is not true`,
    [integrationId, ...columnsOf(workflows, 'repository', 'workflow', 'branch')],
  );
}

/** How long the newest pending evaluation has waited; null without one. */
export async function readShortestWaitMs(tx: Tx, integrationId: string): Promise<number | null> {
  const waitedMs = await tx.value<number | null>(
    'select (extract(epoch from now() - max(noted_at)) * 1000)::float8 from pending_evaluations where group_id = $1',
    [integrationId],
  );
  return waitedMs ?? null;
}

/**
 * Locks the evaluation and the rules of the integration until the end of the transaction: evaluating rules and changing
 * them read what the other writes.
 */
export async function lockEvaluation(tx: Tx, integrationId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('alerts ' || $1::text, 0))", [integrationId]);
}

/** The incomplete names of an open incident of the job `j`, which has the workflow of its run now and may not have named it itself. */
const namesOfOpenJob = `
  select json_build_object('workflow', i.workflow, 'branch', i.branch) from incidents i
  where i.integration_id = $1 and i.closed_at is null and i.repository = j.repository
    and (i.workflow is null or i.branch is null) and coalesce(i.workflow, j.workflow_name) = j.workflow_name
    and i.branch is not distinct from j.head_branch
  order by i.opened_at limit 1`;

/** How many of the newest runs of a repository are searched for the name of a workflow. */
const maxRunsForName = 500;

/** Another workflow of the repository has the name of that of the job `j`, which says no more than the name. */
const isOfOneOfSeveral = `exists (
  select from workflows w join workflows s on s.integration_id = $1 and s.repository = w.repository and s.name = w.name
    and s.workflow <> w.workflow
  where w.integration_id = $1 and w.repository = j.repository and w.workflow = j.workflow_name)`;

/**
 * True for a job of an unknown run whose workflow or branch its own names do not tell, in a repository that reports runs: the run will
 * supply the names when it completes. `offset 0` makes the planner check each pending row, never all stored jobs.
 */
const isNamedByRun = `exists (
  select from workflow_jobs j cross join lateral (select hashtextextended(j.repository, 0) as key offset 0) k
  where j.integration_id = $1 and j.run_id = o.run_id and j.attempt = o.attempt and j.job_id = o.job_id
    and (j.workflow_name is null or j.head_branch is null or ${isOfOneOfSeveral})
    and exists (select from workflow_runs x where x.integration_id = $1 and x.repository_key = k.key
      and x.created_at > now() - interval '7 days') offset 0)`;

/** While no process runs, nothing finds out what a completion waits for: that time does not count. */
const processStart = new Date();

/** The unknown run of a job may still be told. Its message may wait in the queue behind others, or for the lease of a process that was killed. */
const isRunPending = `(greatest(o.noted_at, $8) >= now() - $3 * interval '1 ms' or exists (
  select from queue_group g where g.group_id = o.group_id::text and g.head_at < greatest(o.noted_at, $8) + $3 * interval '1 ms'))`;

const isReasonPending = `exists (
  select from pending_failures p where p.group_id = $1 and p.run_id = o.run_id and p.attempt = o.attempt
    and (o.job_id is null or p.job_id = o.job_id) and greatest(p.noted_at, $8) > now() - $5 * interval '1 ms')`;

/**
 * Reports in the artifacts of the attempt may still name the tests that failed: the artifacts are being read, or will be as soon as the
 * attempt ends. An attempt with an uploaded report has none that are read.
 */
const areReportsPending = `(exists (
  select from artifact_checks c where c.integration_id = $1 and c.run_id = o.run_id and c.attempt = o.attempt
    and c.due_at is not null and greatest(c.noted_at, $8) > now() - $7 * interval '1 ms')
  or o.job_id is not null and o.noted_at > now() - $7 * interval '1 ms' and exists (
    select from workflow_runs r ${joinConnections('r')} join integrations i on i.integration_id = $1
    where r.integration_id = $1 and r.run_id = o.run_id and r.attempt = o.attempt and r.completed_at is null
      and i.artifact_patterns <> '{}'))
  and exists (
    select from workflow_jobs j where j.integration_id = $1 and j.run_id = o.run_id and j.attempt = o.attempt
      and (o.job_id is null or j.job_id = o.job_id) and j.conclusion in ${literals(failedConclusions)})
  and not exists (
    select from test_reports t
    where t.integration_id = $1 and t.run_id = o.run_id and t.attempt = o.attempt and not t.of_artifact)`;

/** Jobs and newer runs may change the conclusion of the run, or of one before it: then what broke the branch is not known yet. */
const isConclusionPending = `exists (
  select from pending_conclusions p where p.group_id = $1 and greatest(p.noted_at, $8) > now() - $6 * interval '1 ms'
    and (p.run_id = o.run_id and p.attempt = o.attempt or p.noted_at <= o.noted_at and exists (
      select from workflow_runs q join workflow_runs r on r.integration_id = $1 and r.run_id = o.run_id
      where q.integration_id = $1 and q.run_id = p.run_id and q.workflow_key = r.workflow_key
        and ${branchOfRun('q')} is not distinct from ${branchOfRun('r')})))`;

/** SQL: a job failed because others of its attempt were cancelled before it began. */
const failedAfterCancelled = (
  job: string,
): string => `${job}.conclusion in ${literals(failedConclusions)} and not (
  select ${hasOwnFailure('x')} from workflow_jobs x
  where x.integration_id = $1 and x.run_id = ${job}.run_id and x.attempt = ${job}.attempt)`;

/** A newer run may supersede the run of a job that failed because others were cancelled. The end of the run decides. */
const isEndPending = `(o.job_id is not null and greatest(o.noted_at, $8) > now() - $9 * interval '1 ms' and exists (
  select from workflow_runs r join workflow_jobs j on j.integration_id = $1 and j.run_id = o.run_id and j.attempt = o.attempt
    and j.job_id = o.job_id
  where r.integration_id = $1 and r.run_id = o.run_id and r.attempt = o.attempt and r.completed_at is null
    and ${failedAfterCancelled('j')}))`;

/** What is stored about the taken completion `c`: its run, attempt and job, and how it ended. */
const joinFacts = `left join workflow_runs r on r.integration_id = $1 and r.run_id = c.run_id
  left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = c.run_id
    and a.attempt = c.attempt and c.job_id is null
  left join workflow_jobs j on j.integration_id = $1 and j.run_id = c.run_id and j.attempt = c.attempt
    and j.job_id = c.job_id
  cross join lateral (
    select case when c.job_id is not null then
                  case when ${failedAfterCancelled('j')} and exists (
                    select from workflow_runs w where w.integration_id = $1 and ${isNewerRun('r', 'j.completed_at')}) then 'superseded'
                       else j.conclusion end
                when r.attempt = c.attempt then ${conclusionForRules('r')}
                else ${conclusionForRules('a')} end as conclusion,
           ${notInFuture(`case when c.job_id is not null then j.completed_at
                when r.attempt = c.attempt then coalesce(r.completed_at, r.updated_at)
                else a.completed_at end`)} as at) e
  cross join lateral (
    select exists (select from workflow_jobs o where o.integration_id = $1 and o.run_id = c.run_id) as has_jobs) s
  left join lateral (
    select m.workflow_name from (
      select * from workflow_runs x where x.integration_id = $1 and x.repository_key = r.repository_key
      order by x.created_at desc, x.run_id desc limit ${maxRunsForName}) m
    where m.repository = r.repository and m.workflow_path = r.workflow_path and m.conclusion = 'success'
      -- Inside, so that only the few rows that need a name read up to ${maxRunsForName} runs each.
      and c.job_id is null and not s.has_jobs and r.workflow_name = r.workflow_path and e.conclusion <> 'success'
    order by m.created_at desc, m.run_id desc limit 1) n on true`;

export interface DequeuedCompletions {
  /** Number of removed rows. Some of them have no completion to evaluate. */
  count: number;
  completions: DequeuedCompletion[];
  /** Runs whose fork a late event named, see `insertNamedForks`. */
  namedRunIds: number[];
}

/** A completion with the delivery that reported it. */
export type DequeuedCompletion = Completion &
  Pick<PendingEvaluation, 'deliverySeq' | 'receivedAt'> & {
    /** The only rule that evaluates it, or `noRule`; null for all rules. */
    ruleId: string | null;
    /** A person hid the workflow. */
    isHidden: boolean;
    /** Its branch was the default branch, which another one is now. */
    isOfLeftBranch: boolean;
  };

/** How long completions wait for what is not known yet. */
export type Waits = Pick<
  AlertPolicy,
  'awaitRunMs' | 'awaitNamesMs' | 'awaitReasonMs' | 'awaitReportsMs' | 'awaitConclusionMs' | 'awaitEndMs'
>;

/**
 * Removes the oldest pending evaluations and returns their completions. It leaves out deleted runs and jobs, and successful
 * jobs whose run is known. A job whose run is not stored waits for `awaitRunMs` and for the messages that came meanwhile, because its
 * branch may belong to a fork and only the run knows the repository. A job that gets its names from its run waits for `awaitNamesMs`. While
 * a reason is being read, its job and run wait for `awaitReasonMs`, and for `awaitReportsMs` while reports are. While the conclusion of the run, or of one before it
 * on its branch, may change, it waits for `awaitConclusionMs`. A job that failed because others were cancelled waits for `awaitEndMs` for
 * the end of its run. With a newer run it is superseded.
 */
export async function dequeueCompletions(
  tx: Tx,
  integrationId: string,
  { awaitRunMs, awaitNamesMs, awaitReasonMs, awaitConclusionMs, awaitEndMs, awaitReportsMs }: Waits,
  limit: number,
): Promise<DequeuedCompletions> {
  const { rows } = await tx.query<DequeuedRow>({
    name: 'take-pending-evaluations',
    text: `with taken as (
             delete from pending_evaluations where evaluation_id in
               (select o.evaluation_id from pending_evaluations o
                where o.group_id = $1 and (o.job_id is null or o.noted_at < now() - $4 * interval '1 ms' or exists (
                  select from workflow_runs r where r.integration_id = $1 and r.run_id = o.run_id)
                  or not ${isRunPending} and not ${isNamedByRun})
                  and ($5 = 0 or not ${isReasonPending}) and ($7 = 0 or not (${areReportsPending})) and not ${isConclusionPending}
                  and not ${isEndPending}
                order by o.evaluation_id limit $2)
             returning evaluation_id, run_id, attempt, job_id, delivery_seq, received_at, rule_id)
           select c.run_id::float8 as "runId", c.attempt, c.job_id::float8 as "jobId", c.delivery_seq as "deliverySeq",
                  c.received_at as "receivedAt", c.rule_id as "ruleId", ${factColumns}, e.conclusion, e.at,
                  s.has_jobs as "hasJobs", n.workflow_name as "provenWorkflow",
                  coalesce(r.workflow_path in (
                    select i.workflow from incidents i where i.integration_id = $1 and i.closed_at is null), false)
                    as "isFileOpen",
                  (${namesOfOpenJob}) as "ofJob",
                  ${isHidden('coalesce(j.repository, r.repository)', 'coalesce(r.workflow_name, j.workflow_name)')} as "isHidden",
                  ${isOfLeftBranch} as "isOfLeftBranch"
           from taken c
           ${joinFacts} order by c.evaluation_id`,
    values: [
      integrationId,
      limit,
      awaitRunMs,
      awaitNamesMs,
      awaitReasonMs,
      awaitConclusionMs,
      awaitReportsMs,
      processStart,
      awaitEndMs,
    ],
  });
  const namedRunIds = rows.flatMap(({ runId, attempt }) => (attempt === 0 ? [runId] : []));
  return { count: rows.length, completions: rows.flatMap(completionsOf), namedRunIds };
}

type DequeuedRow = CompletionFacts &
  OtherOpenNames &
  Pick<DequeuedCompletion, 'deliverySeq' | 'ruleId' | 'isHidden' | 'isOfLeftBranch'> & {
    receivedAt: Date | null;
  };

function completionsOf(row: DequeuedRow): DequeuedCompletion[] {
  const { deliverySeq, ruleId } = row;
  const receivedAt = row.receivedAt?.getTime() ?? null;
  return completionsToEvaluate(row, row).map((completion) => ({
    ...completion,
    deliverySeq,
    receivedAt,
    ruleId,
    isHidden: row.isHidden,
    isOfLeftBranch: row.isOfLeftBranch,
  }));
}
