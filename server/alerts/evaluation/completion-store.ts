import type { Tx } from '#platform/database/database.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';

export interface PendingEvaluation {
  integrationId: string;
  runId: number;
  attempt: number;
  jobId: number | null;
  isGreen: boolean;
  /** The delivery that told of it; null when it is not in the log of the queue. */
  deliverySeq: string | null;
  /** Milliseconds since the epoch; null when no webhook told of it, or one that was replayed. */
  receivedAt: number | null;
}

/**
 * Part of the transaction that stores what ended; numbered in the order of their commits within an integration. Of
 * integrations that have rules now; a copy of that in memory might not know of a rule that was made a moment ago. For jobs
 * that succeeded their run speaks, if it is there; but not where something is red that no run can end, as it has no name of
 * a workflow or branch.
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
 * Waits until nobody else evaluates this integration or changes its rules, and keeps others waiting until the end of the
 * transaction: each looks at what the other writes.
 */
export async function lockEvaluation(tx: Tx, integrationId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('alerts ' || $1::text, 0))", [integrationId]);
}

/** Runs of a repository that are looked at for what a workflow is called, newest first. */
const mostNamesakes = 500;

/**
 * A run that could not start bears the name of its workflow's file where the forge does not tell the workflow's own: then it
 * is called as the newest one of that file that succeeded, if there is one.
 */
const workflowName = `coalesce(
  case when c.job_id is null and r.workflow_name = r.workflow_path and r.conclusion <> 'success' and not exists (
      select from workflow_jobs o where o.integration_id = $1 and o.run_id = r.run_id) then (
    select n.workflow_name from (
      select * from workflow_runs x where x.integration_id = $1 and x.repository_key = r.repository_key
      order by x.created_at desc, x.run_id desc limit ${mostNamesakes}) n
    where n.repository = r.repository and n.workflow_path = r.workflow_path and n.conclusion = 'success'
    order by n.created_at desc, n.run_id desc limit 1) end,
  r.workflow_name, j.workflow_name)`;

/**
 * A job, of a run that is not known, that does not say of which workflow or branch it is: in a repository whose runs are told
 * of, its own will say so when it ends. Asked of each candidate by itself (`offset 0`), never of all jobs that are stored.
 */
const isNamedByRun = `exists (
  select from workflow_jobs j cross join lateral (select hashtextextended(j.repository, 0) as key offset 0) k
  where j.integration_id = $1 and j.run_id = o.run_id and j.attempt = o.attempt and j.job_id = o.job_id
    and (j.workflow_name is null or j.head_branch is null)
    and exists (select from workflow_runs x where x.integration_id = $1 and x.repository_key = k.key
      and x.created_at > now() - interval '7 days') offset 0)`;

/** What such a job began, before its repository told of runs, is red under what little it says: the same job ends it. */
const isRedByItself = `r.run_id is not null and (j.workflow_name is null or j.head_branch is null)
  and (j.workflow_name, j.head_branch) is distinct from (r.workflow_name, r.head_branch)
  and exists (select from incidents i where i.integration_id = $1 and i.closed_at is null and i.repository = j.repository
    and i.workflow is not distinct from j.workflow_name and i.branch is not distinct from j.head_branch)`;

export interface DequeuedCompletions {
  /** How many were taken away; of some there is nothing to say. */
  taken: number;
  completions: DequeuedCompletion[];
}

/** With how it came. */
export type DequeuedCompletion = Completion & Pick<PendingEvaluation, 'deliverySeq' | 'receivedAt'>;

/**
 * Takes the oldest away, and answers how those ended that are still there, without jobs that succeeded and that their run
 * speaks for. A job whose run is not stored is left for `awaitRunMs`: its branch may be a fork's, and of which repository
 * it is only the run tells. One that its run is to name is left for `awaitNamesMs`.
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
                  j.workflow_name as own_workflow, j.head_branch as own_branch, ${isRedByItself} as is_red_by_itself
           from taken c
           left join workflow_runs r on r.integration_id = $1 and r.run_id = c.run_id
           left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = c.run_id
             and a.attempt = c.attempt and c.job_id is null
           left join workflow_jobs j on j.integration_id = $1 and j.run_id = c.run_id and j.attempt = c.attempt
             and j.job_id = c.job_id
           order by c.candidate_id`,
    values: [integrationId, limit, awaitRunMs, awaitNamesMs],
  });
  return { taken: rows.length, completions: rows.flatMap(completionsOf) };
}

interface DequeuedRow extends CompletionRow {
  delivery_seq: string | null;
  received_at: Date | null;
  knows_run: boolean;
  /** The workflow's file, when an incident is open under that name. */
  red_file: string | null;
  /** What the job itself says, and whether an incident is open under that. */
  own_workflow: string | null;
  own_branch: string | null;
  is_red_by_itself: boolean;
}

/** A success also ends what is red under another name, from when its run or its workflow's name was not known. */
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
    return row.is_red_by_itself
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

/** `owner:branch` for a fork's. */
export function branchOf(
  { head_branch, head_repository }: Pick<CompletionRow, 'head_branch' | 'head_repository'>,
  repository: string,
): string | null {
  if (head_branch === null || head_repository === null || head_repository === repository) return head_branch;
  return `${head_repository.split('/')[0] ?? ''}:${head_branch}`;
}
