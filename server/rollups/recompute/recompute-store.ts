import type { Tx } from '#platform/database/database.ts';
import { columnList, type Table } from '#platform/database/rows/multi-row.ts';
import { selectRows } from '#platform/database/rows/select-rows.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { jobTable, type JobRow } from '#server/runs/objects/job.ts';
import { attemptTable, type AttemptRow } from '#server/runs/objects/run.ts';
import { hourlyTable } from '../rollup-tables.ts';
import { rollupKinds, type RollupRow } from '../rollups.ts';

/** A connection of the owner, outside transactions. */
export interface OwnerConnection {
  query(text: string): Promise<{ rows: { isLocked?: boolean }[] }>;
}

/** Locks the recomputation for other commands until the connection ends. False when another one has the lock. */
export async function lockRecomputation(owner: OwnerConnection): Promise<boolean> {
  const { rows } = await owner.query(
    `select pg_try_advisory_lock(hashtext('recompute-metrics')) as "isLocked"`,
  );
  return rows[0]?.isLocked ?? false;
}

export function listIntegrations(tx: Tx): Promise<string[]> {
  return tx.column<string>('select all_integration_ids() as id');
}

/** The hours with numbers, earliest first. */
export function listHours(tx: Tx, integrationId: string): Promise<number[]> {
  return tx.column<number>(
    `select distinct (extract(epoch from start) * 1000)::float8 as hour from hourly_rollups
     where integration_id = $1 and kind in ('run_any', 'job_any') order by 1`,
    [integrationId],
  );
}

/** The stored runs and jobs that completed in an hour, and its rollups. */
export async function findHour(
  tx: Tx,
  integrationId: string,
  hour: number,
): Promise<{ runs: AttemptRow[]; jobs: JobRow[]; rollups: RollupRow[] }> {
  const values = [integrationId, new Date(hour), new Date(hour + hourMs)];
  const completedIn = <Row>(name: string, table: Table<Row>) =>
    selectRows(tx, table, {
      text: `select ${columnList(table)} from ${name}
             where integration_id = $1 and completed_at >= $2 and completed_at < $3`,
      values,
    });
  const [runs, jobs, rollups] = await Promise.all([
    completedIn('workflow_runs', attemptTable),
    completedIn('workflow_jobs', jobTable),
    selectRows(tx, hourlyTable, {
      text: `select ${columnList(hourlyTable)} from hourly_rollups
             where integration_id = $1 and kind = any ($2) and start = $3`,
      values: [integrationId, rollupKinds, new Date(hour)],
    }),
  ]);
  return { runs, jobs, rollups };
}
