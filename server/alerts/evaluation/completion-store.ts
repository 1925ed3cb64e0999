import type { Tx } from '#platform/database/database.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';

export interface PendingEvaluation {
  integrationId: string;
  runId: number;
  attempt: number;
  jobId: number | null;
  isGreen: boolean;
  /** The delivery that reported it; null when the delivery is not in the log. */
  deliverySeq: string | null;
  /** Milliseconds since the epoch; null for a replay and for data that came without a webhook. */
  receivedAt: number | null;
}

/**
 * Runs in the transaction that stores the completions. The statement looks up the integrations with rules, because a copy in
 * memory can miss a rule that was created a moment ago. It skips a successful job whose run is stored, because the run's own
 * completion counts. Exception: an open incident without a workflow or branch name, which no run can close.
 */
export async function insertPendingEvaluations(
  tx: Tx,
  candidates: readonly PendingEvaluation[],
): Promise<void> {
  await tx.query({
    name: 'insert-alert-candidates',
    text: `insert into alert_candidates (group_id, run_id, attempt, job_id, delivery_seq, received_at)
           select group_id, run_id, attempt, job_id, delivery_seq, received_at
           from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[], $5::boolean[], $6::bigint[], $7::timestamptz[])
             as c (group_id, run_id, attempt, job_id, is_green, delivery_seq, received_at)
           where exists (select from alert_interest i where i.group_id = c.group_id)
             and not (is_green and job_id is not null and exists (
               select from workflow_runs r where r.integration_id = c.group_id and r.run_id = c.run_id) and not exists (
               select from incidents i where i.integration_id = c.group_id and i.closed_at is null
                 and (i.workflow is null or i.branch is null)))`,
    values: [
      candidates.map((candidate) => candidate.integrationId),
      candidates.map((candidate) => candidate.runId),
      candidates.map((candidate) => candidate.attempt),
      candidates.map((candidate) => candidate.jobId),
      candidates.map((candidate) => candidate.isGreen),
      candidates.map((candidate) => candidate.deliverySeq),
      candidates.map(({ receivedAt }) => (receivedAt === null ? null : new Date(receivedAt))),
    ],
  });
}

export async function listPendingIntegrations(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ group_id: string }>('select distinct group_id from alert_candidates');
  return rows.map((row) => row.group_id);
}

/**
 * Locks the evaluation and the rules of the integration until the end of the transaction: evaluating rules and changing
 * them read what the other writes.
 */
export async function lockEvaluation(tx: Tx, integrationId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('alerts ' || $1::text, 0))", [integrationId]);
}

/** How many of the newest runs of a repository are searched for the name of a workflow. */
const maxRunsForName = 500;

/**
 * If a run has no jobs and its name equals the workflow file, it could not start and the forge did not report the workflow's
 * name. Then this uses the name of the newest successful run of that file.
 */
const workflowName = `coalesce(
  case when c.job_id is null and r.workflow_name = r.workflow_path and r.conclusion <> 'success' and not exists (
      select from workflow_jobs o where o.integration_id = $1 and o.run_id = r.run_id) then (
    select n.workflow_name from (
      select * from workflow_runs x where x.integration_id = $1 and x.repository_key = r.repository_key
      order by x.created_at desc, x.run_id desc limit ${maxRunsForName}) n
    where n.repository = r.repository and n.workflow_path = r.workflow_path and n.conclusion = 'success'
    order by n.created_at desc, n.run_id desc limit 1) end,
  r.workflow_name, j.workflow_name)`;

/**
 * True for a job of an unknown run that has no workflow or branch name, in a repository that reports runs: the run will
 * supply the names when it completes. `offset 0` makes the planner check each pending row, never all stored jobs.
 */
const isNamedByRun = `exists (
  select from workflow_jobs j cross join lateral (select hashtextextended(j.repository, 0) as key offset 0) k
  where j.integration_id = $1 and j.run_id = o.run_id and j.attempt = o.attempt and j.job_id = o.job_id
    and (j.workflow_name is null or j.head_branch is null)
    and exists (select from workflow_runs x where x.integration_id = $1 and x.repository_key = k.key
      and x.created_at > now() - interval '7 days') offset 0)`;

/** True if the job has an open incident under its own incomplete names, from before its repository reported runs. Only the job can close it. */
const isOpenUnderOwnNames = `r.run_id is not null and (j.workflow_name is null or j.head_branch is null)
  and (j.workflow_name, j.head_branch) is distinct from (r.workflow_name, r.head_branch)
  and exists (select from incidents i where i.integration_id = $1 and i.closed_at is null and i.repository = j.repository
    and i.workflow is not distinct from j.workflow_name and i.branch is not distinct from j.head_branch)`;

export interface DequeuedCompletions {
  /** Number of removed rows. Some of them have no completion to evaluate. */
  count: number;
  completions: DequeuedCompletion[];
}

/** A completion with the delivery that reported it. */
export type DequeuedCompletion = Completion & Pick<PendingEvaluation, 'deliverySeq' | 'receivedAt'>;

/**
 * Removes the oldest pending evaluations and returns their completions. It leaves out deleted runs and jobs, and successful
 * jobs whose run is known. A job whose run is not stored waits for `awaitRunMs`, because its branch may belong to a fork and
 * only the run knows the repository. A job that gets its names from its run waits for `awaitNamesMs`.
 */
export async function dequeueCompletions(
  tx: Tx,
  integrationId: string,
  { awaitRunMs, awaitNamesMs }: Pick<AlertPolicy, 'awaitRunMs' | 'awaitNamesMs'>,
  limit: number,
): Promise<DequeuedCompletions> {
  const { rows } = await tx.query<DequeuedRow>({
    name: 'take-alert-candidates',
    text: `with taken as (
             delete from alert_candidates where candidate_id in
               (select o.candidate_id from alert_candidates o
                where o.group_id = $1 and (o.job_id is null or o.noted_at < now() - $4 * interval '1 ms' or exists (
                  select from workflow_runs r where r.integration_id = $1 and r.run_id = o.run_id)
                  or o.noted_at < now() - $3 * interval '1 ms' and not ${isNamedByRun})
                order by o.candidate_id limit $2)
             returning candidate_id, run_id, attempt, job_id, delivery_seq, received_at)
           select c.run_id, c.attempt, c.job_id, c.delivery_seq, c.received_at,
                  coalesce(j.repository, r.repository) as repository,
                  ${workflowName} as workflow_name,
                  coalesce(j.head_branch, r.head_branch) as head_branch, r.head_repository, r.actor,
                  case when c.job_id is null then r.title else j.name end as name,
                  coalesce(j.url, r.url) as url,
                  case when c.job_id is not null then j.conclusion when r.attempt = c.attempt then r.conclusion
                       else a.conclusion end as conclusion,
                  coalesce(case when c.job_id is not null then j.completed_at
                       when r.attempt = c.attempt then coalesce(r.completed_at, r.updated_at)
                       else a.completed_at end, now()) as at,
                  r.run_id is not null as knows_run,
                  case when c.job_id is null and r.workflow_path in (
                    select i.workflow from incidents i where i.integration_id = $1 and i.closed_at is null)
                  then r.workflow_path end as red_file,
                  j.workflow_name as own_workflow, j.head_branch as own_branch, ${isOpenUnderOwnNames} as is_open_under_own_names
           from taken c
           left join workflow_runs r on r.integration_id = $1 and r.run_id = c.run_id
           left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = c.run_id
             and a.attempt = c.attempt and c.job_id is null
           left join workflow_jobs j on j.integration_id = $1 and j.run_id = c.run_id and j.attempt = c.attempt
             and j.job_id = c.job_id
           order by c.candidate_id`,
    values: [integrationId, limit, awaitRunMs, awaitNamesMs],
  });
  return { count: rows.length, completions: rows.flatMap(completionsOf) };
}

interface DequeuedRow extends CompletionRow {
  delivery_seq: string | null;
  received_at: Date | null;
  knows_run: boolean;
  /** The workflow's file, if an incident is open under that name. */
  red_file: string | null;
  /** The job's own names, and whether an incident is open under them. */
  own_workflow: string | null;
  own_branch: string | null;
  is_open_under_own_names: boolean;
}

/** A success also closes an incident that was opened under another name, before the run or the workflow's name was known. */
function completionsOf(row: DequeuedRow): DequeuedCompletion[] {
  const { repository, conclusion, job_id: jobId, red_file: file } = row;
  if (conclusion === null || repository === null) return [];
  const isSuccess = conclusion === 'success';
  const completion = {
    ...completionOf(row, repository, conclusion),
    deliverySeq: row.delivery_seq,
    receivedAt: row.received_at?.getTime() ?? null,
  };
  if (isSuccess && jobId !== null && row.knows_run)
    return row.is_open_under_own_names
      ? [{ ...completion, workflow: row.own_workflow, branch: row.own_branch }]
      : [];
  return isSuccess && file !== null && file !== completion.workflow
    ? [completion, { ...completion, workflow: file }]
    : [completion];
}

export interface CompletionRow {
  run_id: string;
  attempt: number;
  job_id: string | null;
  repository: string | null;
  workflow_name: string | null;
  head_branch: string | null;
  head_repository: string | null;
  actor: string | null;
  name: string | null;
  url: string | null;
  conclusion: string | null;
  at: Date;
}

export function completionOf(row: CompletionRow, repository: string, conclusion: string): Completion {
  return {
    event: row.job_id === null ? 'run' : 'job',
    runId: Number(row.run_id),
    attempt: row.attempt,
    jobId: row.job_id === null ? null : Number(row.job_id),
    repository,
    workflow: row.workflow_name,
    branch: branchOf(row, repository),
    conclusion,
    actor: row.actor,
    name: row.name,
    url: row.url,
    at: row.at.getTime(),
  };
}

/** `owner:branch` for a branch of a fork. */
export function branchOf(
  { head_branch, head_repository }: Pick<CompletionRow, 'head_branch' | 'head_repository'>,
  repository: string,
): string | null {
  if (head_branch === null || head_repository === null || head_repository === repository) return head_branch;
  return `${head_repository.split('/')[0] ?? ''}:${head_branch}`;
}
