import type { Tx } from '#platform/database/database.ts';
import { branchOf } from '#contract/runs/merge-group.ts';
import { unknownFork } from '#server/runs/objects/head-repository.ts';
import { branchKey, type BranchName } from './branch-keys.ts';

interface Misplaced extends BranchName {
  incidentId: string;
  /** What the incident is called. */
  known: Pick<BranchName, 'workflow' | 'branch'>;
  headRepository: string | null;
  runIds: number[];
  /** All failures of the incident are of these runs. */
  isWhole: boolean;
}

/** The failures of these runs in incidents, by incident and by what the runs say now about workflow and branch. */
export function listCounted(tx: Tx, integrationId: string, runIds: readonly number[]): Promise<Misplaced[]> {
  return tx.rows<Misplaced>(
    `select i.incident_id as "incidentId", json_build_object('workflow', i.workflow, 'branch', i.branch) as known, i.repository,
            n.workflow, n.branch, r.head_repository as "headRepository", array_agg(distinct r.run_id::float8) as "runIds",
            count(*) = (select count(*) from incident_failures o
                        where o.integration_id = $1 and o.incident_id = i.incident_id) as "isWhole"
     from workflow_runs r
     join incident_failures f on f.integration_id = $1 and f.run_id = r.run_id
     join incidents i on i.integration_id = $1 and i.incident_id = f.incident_id and i.kind = 'failure'
     left join workflow_jobs j on j.integration_id = $1 and j.run_id = f.run_id and j.attempt = f.attempt and j.job_id = f.job_id
     -- The file of a run that could not start is not the name of its workflow.
     cross join lateral (
       select case when j.job_id is null then i.workflow else coalesce(r.workflow_name, j.workflow_name) end as workflow,
              coalesce(j.head_branch, r.head_branch) as branch) n
     where r.integration_id = $1 and r.run_id = any ($2) and r.head_repository is distinct from '${unknownFork}'
     group by i.integration_id, i.incident_id, n.workflow, n.branch, r.head_repository`,
    [integrationId, runIds],
  );
}

/** The open incident of a branch, or the one that was closed after the run, unless the branch recovered between. */
export function findIncidentAt(
  tx: Tx,
  integrationId: string,
  key: Buffer,
  runId: number,
): Promise<string | undefined> {
  return tx.value<string | undefined>(
    `select i.incident_id from incidents i
     where i.integration_id = $1 and i.branch_key = $2 and (i.closed_at is null or i.closed_by_run_id >= $3)
       and not exists (
         select from (${firstSuccesses('array[$3]')}) s where s.run_id < (i.first_failure ->> 'runId')::bigint)
     order by i.closed_by_run_id limit 1`,
    [integrationId, key, runId],
  );
}

/** SQL: the first success on the branch of each of these runs that came after it. */
const firstSuccesses = (runIds: string): string => `
  select s.run_id, s.attempt from workflow_runs r cross join lateral (
    select w.run_id, w.attempt from (
      select * from workflow_runs x where x.integration_id = $1 and x.branch_key = r.branch_key
      order by x.created_at desc, x.run_id desc limit 1000) w
    where w.run_id > r.run_id and w.conclusion = 'success' and w.repository = r.repository
      and w.head_branch = r.head_branch and w.head_repository is not distinct from r.head_repository
      and w.workflow_name is not distinct from r.workflow_name
    order by w.run_id limit 1) s
  where r.integration_id = $1 and r.run_id = any (${runIds})`;

/** An incident like another one that has counted nothing yet. */
export async function copyIncident(tx: Tx, integrationId: string, incidentId: string): Promise<string> {
  const [copy] = await tx.column<string>(
    `insert into incidents (integration_id, branch_key, repository, workflow, branch, opened_at, closed_at, closed_by_run_id,
       close_reason, failed_runs, failed_jobs, first_failure, last_failure)
     select integration_id, incident_id::text::bytea, repository, workflow, branch, opened_at, closed_at, closed_by_run_id,
       close_reason, 0, 0, first_failure, last_failure
     from incidents where integration_id = $1 and incident_id = $2 returning incident_id`,
    [integrationId, incidentId],
  );
  return copy ?? incidentId;
}

export async function renameIncident(
  tx: Tx,
  integrationId: string,
  incidentId: string,
  { workflow, branch, key }: Pick<BranchName, 'workflow' | 'branch'> & { key: Buffer },
): Promise<void> {
  await tx.query(
    'update incidents set workflow = $3, branch = $4, branch_key = $5 where integration_id = $1 and incident_id = $2',
    [integrationId, incidentId, workflow, branch, key],
  );
  await tx.query('update notifications set branch_key = $3 where integration_id = $1 and incident_id = $2', [
    integrationId,
    incidentId,
    key,
  ]);
}

/** An incident that nothing is left of is removed: what was notified about it was about the other one. */
export async function moveFailures(
  tx: Tx,
  integrationId: string,
  { from, to, runIds }: { from: string; to: string; runIds: readonly number[] },
): Promise<void> {
  await tx.query(
    `with moved as (
       delete from incident_failures
       where integration_id = $1 and incident_id = $2 and run_id = any ($4) returning run_id, attempt, job_id, failure)
     insert into incident_failures (integration_id, incident_id, run_id, attempt, job_id, failure)
     select $1, $3, run_id, attempt, job_id, failure from moved on conflict do nothing`,
    [integrationId, from, to, runIds],
  );
  await tx.query(
    `update incidents i set failed_runs = f.runs, failed_jobs = f.jobs, first_failure = f.failures[1],
       last_failure = f.failures[cardinality(f.failures)], opened_at = f.since
     from (
       select incident_id, count(*) filter (where job_id = 0) as runs, count(*) filter (where job_id <> 0) as jobs,
              min((failure ->> 'at')::timestamptz) as since, array_agg(failure order by failure ->> 'at') as failures
       from incident_failures where integration_id = $1 and incident_id = any ($2) group by incident_id) f
     where i.integration_id = $1 and i.incident_id = f.incident_id`,
    [integrationId, [from, to]],
  );
  const isEmpty =
    'not exists (select from incident_failures f where f.integration_id = $1 and f.incident_id = $2)';
  await tx.query(
    `update notifications set incident_id = $3, branch_key = i.branch_key
     from incidents i where i.integration_id = $1 and i.incident_id = $3
       and notifications.integration_id = $1 and notifications.incident_id = $2 and ${isEmpty}`,
    [integrationId, from, to],
  );
  await tx.query(`delete from incidents where integration_id = $1 and incident_id = $2 and ${isEmpty}`, [
    integrationId,
    from,
  ]);
}

interface RunBranch extends BranchName {
  headRepository: string;
}

export function listBranches(tx: Tx, integrationId: string, runIds: readonly number[]): Promise<RunBranch[]> {
  return tx.rows<RunBranch>(
    `select distinct repository, workflow_name as workflow, head_branch as branch, head_repository as "headRepository"
     from workflow_runs where integration_id = $1 and run_id = any ($2)`,
    [integrationId, runIds],
  );
}

/** Successes on the named branches, first those after the runs, and those of the runs that count on `fork:branch`. */
export async function enqueueSuccesses(
  tx: Tx,
  integrationId: string,
  branches: readonly RunBranch[],
  runIds: readonly number[],
): Promise<void> {
  const keysOf = (head: (place: RunBranch) => string): Buffer[] =>
    branches.map((place) =>
      branchKey({ ...place, branch: branchOf(place.branch, head(place), place.repository) }),
    );
  await tx.query(
    `insert into pending_evaluations (group_id, run_id, attempt)
     select $1, s.* from (
       select run_id, attempt from branch_successes
       where integration_id = $1 and (branch_key = any ($2) or branch_key = any ($3) and run_id = any ($4))
       union ${firstSuccesses('$4')}) s order by run_id, attempt`,
    [integrationId, keysOf(({ headRepository }) => headRepository), keysOf(() => unknownFork), runIds],
  );
}
