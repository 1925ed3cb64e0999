import type { Tx } from '#platform/database/database.ts';
import type { Position } from '../incidents/incident-reducer.ts';

export interface Success {
  key: Buffer;
  position: Position;
}

/** Saves the newest successful runs, by `branchKey`. */
export function saveSuccesses(tx: Tx, integrationId: string, successes: readonly Success[]): Promise<void> {
  return saveNewest(tx, integrationId, 'branch_successes', 'branch_key', successes);
}

/** Saves the newest successful jobs of unknown runs, by `jobKey`. */
export function saveJobSuccesses(
  tx: Tx,
  integrationId: string,
  successes: readonly Success[],
): Promise<void> {
  return saveNewest(tx, integrationId, 'job_successes', 'job_key', successes);
}

async function saveNewest(
  tx: Tx,
  integrationId: string,
  table: 'branch_successes' | 'job_successes',
  keyColumn: 'branch_key' | 'job_key',
  successes: readonly Success[],
): Promise<void> {
  if (successes.length === 0) return;
  await tx.query({
    name: `save-${table}`,
    text: `insert into ${table} (integration_id, ${keyColumn}, run_id, attempt)
           select $1, * from unnest($2::bytea[], $3::bigint[], $4::integer[])
           on conflict (integration_id, ${keyColumn}) do update
             set run_id = excluded.run_id, attempt = excluded.attempt, at = now()`,
    values: [
      integrationId,
      successes.map(({ key }) => key),
      successes.map(({ position }) => position.runId),
      successes.map(({ position }) => position.attempt),
    ],
  });
}
