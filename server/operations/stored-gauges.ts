import { Gauge, type Registry } from 'prom-client';
import type { Database, Tx } from '#platform/database/database.ts';
import { askOnce } from '#platform/runtime/metrics.ts';

interface Stored {
  usage: { class: string; integrations: number; bytes: number }[];
  /** In seconds since 1970; 0 without a backup. */
  lastBackup: number;
}

/** What is stored today by size of integration, and the newest backup: what only the database knows. */
export function registerStoredGauges(metrics: Registry, db: Database): void {
  const read = askOnce(() => db.withScope('service', readStored));
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    set: (gauge: Gauge, stored: Stored) => void,
  ): void =>
    metrics.registerMetric(
      new Gauge({
        name,
        help,
        labelNames,
        registers: [],
        async collect() {
          const stored = await read();
          if (stored !== undefined) set(this, stored);
        },
      }),
    );
  const byClass = (of: 'integrations' | 'bytes') => (each: Gauge, stored: Stored) => {
    for (const row of stored.usage) each.set({ class: row.class }, row[of]);
  };
  gauge(
    'forgewatch_stored_today_bytes',
    'Bytes that integrations stored today (UTC), by how much each stored',
    ['class'],
    byClass('bytes'),
  );
  gauge(
    'forgewatch_storing_integrations',
    'Integrations that stored something today (UTC), by how much each stored',
    ['class'],
    byClass('integrations'),
  );
  gauge(
    'forgewatch_last_backup_timestamp_seconds',
    'When the newest backup of forgewatch backup was complete; 0 if there is none',
    [],
    (each, { lastBackup }) => each.set(lastBackup),
  );
}

async function readStored(tx: Tx): Promise<Stored> {
  const [usage, lastBackup] = await Promise.all([
    tx.rows<Stored['usage'][number]>(
      'select class, integrations::float8 as integrations, bytes::float8 as bytes from count_usage()',
    ),
    tx.value<number>('select extract(epoch from max(finished_at))::float8 from last_backup'),
  ]);
  return { usage, lastBackup: lastBackup ?? 0 };
}
