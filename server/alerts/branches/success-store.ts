import type { RuleEvent } from '#contract/alerts/alerts.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Position } from '../incidents/incident-reducer.ts';

export interface Success {
  key: Buffer;
  position: Position;
}

const tables = {
  run: { table: 'branch_successes', keyColumn: 'branch_key' },
  job: { table: 'job_successes', keyColumn: 'job_key' },
} as const;

/** Saves the newest successful runs by `branchKey`, or the newest successful jobs of unknown runs by `jobKey`. */
export async function saveSuccesses(
  tx: Tx,
  integrationId: string,
  event: RuleEvent,
  successes: readonly Success[],
): Promise<void> {
  if (successes.length === 0) return;
  const { table, keyColumn } = tables[event];
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
