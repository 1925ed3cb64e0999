import type { Tx } from '#platform/database/database.ts';

export function listIntegrationIds(tx: Tx): Promise<string[]> {
  return tx.column<string>('select all_integration_ids() as id');
}

/** Runs created before a time, oldest first. */
export function listRunsBefore(tx: Tx, integrationId: string, before: Date, most: number): Promise<string[]> {
  return tx.column<string>({
    text: `select run_id::text as id from workflow_runs
           where integration_id = $1 and created_at < $2 order by created_at, run_id limit ${most}`,
    values: [integrationId, before],
  });
}

/** Deletes runs with their attempts and jobs. Their numbers stay in the rollups. */
export async function deleteRuns(tx: Tx, integrationId: string, runIds: readonly string[]): Promise<void> {
  const tables = ['workflow_jobs', 'workflow_run_attempts', 'workflow_runs'];
  await Promise.all(
    tables.map((table) =>
      tx.query(`delete from ${table} where integration_id = $1 and run_id = any ($2::bigint[])`, [
        integrationId,
        runIds,
      ]),
    ),
  );
}

const createdBefore = (parameter: string) =>
  `coalesce(j.created_at, j.started_at, j.completed_at) < ${parameter}`;

/**
 * Scans the next jobs after the run `after`, by key. Returns the runs that are not stored and have jobs created before a time,
 * and the last run of the scan (null when no jobs follow). Reads only the index, except for runs that are not stored.
 */
export async function findOrphanJobs(
  tx: Tx,
  integrationId: string,
  { after, before, most }: { after: string; before: Date; most: number },
): Promise<{ last: string | null; runIds: string[] }> {
  const { rows } = await tx.query<{ last: string | null; runIds: string[] }>({
    text: `with seen as (
             select run_id from workflow_jobs where integration_id = $1 and run_id > $2 order by run_id limit ${most})
           select max(run_id)::text as last, array(
             select s.run_id::text from (select distinct run_id from seen) s
             where not exists (select from workflow_runs r where r.integration_id = $1 and r.run_id = s.run_id)
               and exists (
                 select from workflow_jobs j
                 where j.integration_id = $1 and j.run_id = s.run_id and ${createdBefore('$3')})) as "runIds"
           from seen`,
    values: [integrationId, after, before],
  });
  return rows[0] ?? { last: null, runIds: [] };
}

/** Deletes the runs' jobs that were created before a time. */
export async function deleteJobs(
  tx: Tx,
  integrationId: string,
  runIds: readonly string[],
  before: Date,
): Promise<void> {
  await tx.query(
    `delete from workflow_jobs j
     where j.integration_id = $1 and j.run_id = any ($2::bigint[]) and ${createdBefore('$3')}`,
    [integrationId, runIds, before],
  );
}

/** Deletes pull requests, reviews and deployments that were last changed before a time. Returns the number of rows. */
export async function deletePullRequests(
  tx: Tx,
  integrationId: string,
  before: Date,
  most: number,
): Promise<number> {
  const values = [integrationId, before, most];
  const deleteFrom = (table: string, isOld: string) =>
    tx.query(
      `delete from ${table} where integration_id = $1 and ctid = any (array(
         select ctid from ${table} where integration_id = $1 and ${isOld} limit $3))`,
      values,
    );
  const deleted = await Promise.all([
    deleteFrom('pull_requests', 'updated_at < $2'),
    deleteFrom('reviews', 'submitted_at < $2 and (updated_at is null or updated_at < $2)'),
    deleteFrom('deployments', 'updated_at < $2'),
    // A deployment is marked after it happened.
    deleteFrom('deployment_marks', 'marked_at < $2'),
  ]);
  return deleted.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}
