import type { Tx } from '#platform/database/database.ts';
import { sampleIdsFrom, sampleRepositories } from './sample-repositories.ts';

/** Which rows: those of one integration, at most `most`. */
export interface Portion {
  integrationId: string;
  most: number;
}

/** Deletes runs with their attempts, jobs, failure reasons and everything that waits for them. Returns how many runs. */
export async function deleteRuns(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  const part = (table: string) =>
    `(select run_id from ${table} where integration_id = $1 and run_id >= $2 and repository = any ($3) order by run_id limit $4)`;
  // Jobs without a run are stored too, when an integration does not receive events of runs.
  const tables = ['workflow_runs', 'workflow_run_attempts', 'workflow_jobs', 'failure_reasons'];
  const { rows } = await tx.query<{ id: string }>(
    `select distinct run_id::text as id from (${tables.map(part).join(' union all ')}) r limit $4`,
    [integrationId, sampleIdsFrom, sampleRepositories, most],
  );
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  for (const table of tables)
    await tx.query(
      `delete from ${table} where integration_id = $1 and run_id = any ($2::bigint[]) and repository = any ($3)`,
      [integrationId, ids, sampleRepositories],
    );
  await tx.query('delete from run_checks where integration_id = $1 and run_id = any ($2::bigint[])', [
    integrationId,
    ids,
  ]);
  for (const table of ['pending_failures', 'pending_evaluations', 'pending_conclusions'])
    await tx.query(`delete from ${table} where group_id = $1 and run_id = any ($2::bigint[])`, [
      integrationId,
      ids,
    ]);
  return rows.length;
}

export async function deletePullRequests(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  const values = [integrationId, sampleRepositories, most];
  const deleted = await Promise.all([
    tx.query(
      `delete from pull_requests where integration_id = $1 and ctid = any (array(
         select ctid from pull_requests where integration_id = $1 and repository = any ($2) limit $3))`,
      values,
    ),
    tx.query(
      `delete from reviews where integration_id = $1 and review_id = any (array(
         select review_id from reviews where integration_id = $1 and repository = any ($2) and review_id >= $4 limit $3))`,
      [...values, sampleIdsFrom],
    ),
    tx.query(
      `delete from deployments where integration_id = $1 and deployment_id = any (array(
         select deployment_id from deployments where integration_id = $1 and repository = any ($2) and deployment_id >= $4 limit $3))`,
      [...values, sampleIdsFrom],
    ),
    tx.query('delete from pending_branch_ends where group_id = $1 and repository = any ($2)', [
      integrationId,
      sampleRepositories,
    ]),
  ]);
  return sumOf(deleted);
}

/** Tests with their days, failures and reports, also the reports that wait for their run. */
export async function deleteTests(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  const ofRuns = ['test_reports', 'test_failures', 'artifact_checks'].map((table) =>
    tx.query(
      `delete from ${table} where integration_id = $1 and ctid = any (array(
         select ctid from ${table} where integration_id = $1 and run_id >= $2 limit $3))`,
      [integrationId, sampleIdsFrom, most],
    ),
  );
  const ids = await tx.column<string>(
    'select test_id from tests where integration_id = $1 and repository = any ($2) limit $3',
    [integrationId, sampleRepositories, most],
  );
  const ofBlocks = tx.query(
    `delete from test_day_blocks where integration_id = $1 and repository_key in (
       select repository_key from tests where integration_id = $1 and test_id = any ($2))`,
    [integrationId, ids],
  );
  const ofTests = ['test_days', 'tests'].map((table) =>
    tx.query(`delete from ${table} where integration_id = $1 and test_id = any ($2)`, [integrationId, ids]),
  );
  return sumOf(await Promise.all([...ofRuns, ofBlocks, ...ofTests]));
}

/** The names of repositories and workflows, and their commits. */
export async function deleteNames(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  const deleted = await Promise.all(
    ['workflows', 'repositories', 'commit_ranges', 'required_checks'].map((table) =>
      tx.query(
        `delete from ${table} where integration_id = $1 and ctid = any (array(
           select ctid from ${table} where integration_id = $1 and repository = any ($2) limit $3))`,
        [integrationId, sampleRepositories, most],
      ),
    ),
  );
  return sumOf(deleted);
}

export function deleteFailureGroups(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  return tx.execute(
    `delete from failure_groups where integration_id = $1 and failure_group_id = any (array(
       select failure_group_id from failure_groups where integration_id = $1 and repository = any ($2) limit $3))`,
    [integrationId, sampleRepositories, most],
  );
}

/** The numbers of other data are in rows of their own. */
export async function deleteRollups(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  const deleted = await Promise.all(
    ['hourly_rollups', 'daily_rollups'].map((table) =>
      tx.query(
        `delete from ${table} where integration_id = $1 and is_sample and ctid = any (array(
           select ctid from ${table} where integration_id = $1 and is_sample limit $2))`,
        [integrationId, most],
      ),
    ),
  );
  const count = sumOf(deleted);
  if (count > 0)
    await tx.query('update rollup_progress set version = version + 1 where integration_id = $1', [
      integrationId,
    ]);
  return count;
}

/** Entries of the service about runs and incidents. What people did stays. */
export function deleteLogEntries(tx: Tx, { integrationId, most }: Portion): Promise<number> {
  return tx.execute(
    `delete from event_log where integration_id = $1 and entry_id = any (array(
       select entry_id from event_log
       where integration_id = $1 and actor_id is null and details ->> 'repository' = any ($2) limit $3))`,
    [integrationId, sampleRepositories, most],
  );
}

export function sumOf(deleted: readonly { rowCount: number | null }[]): number {
  return deleted.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}
