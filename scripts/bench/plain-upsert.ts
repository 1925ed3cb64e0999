import pg from 'pg';
import type { SimulatedEvent } from '#server/simulate/event.ts';

export interface BenchEvent {
  integrationId: string;
  event: SimulatedEvent;
}

const rowsOfTransaction = 10;

/** The table of each event type, and its key columns after integration_id. */
const tables = {
  workflow_run: { name: 'workflow_runs', key: ['run_id'] },
  workflow_job: { name: 'workflow_jobs', key: ['run_id', 'attempt', 'job_id'] },
  pull_request: { name: 'pull_requests', key: ['repository', 'number'] },
  pull_request_review: { name: 'reviews', key: ['review_id'] },
  deployment_status: { name: 'deployments', key: ['deployment_id'] },
} as const;

type Row = Record<string, unknown>;

interface PlainRow {
  table: string;
  key: readonly string[];
  id: string;
  row: Row;
}

/**
 * The upper bound of P4: upserts the final rows of the events into copies of the tables without row-level security, several rows
 * per statement, ten per transaction. Returns rows a second.
 */
export async function plainUpsert(
  databaseUrl: string,
  events: readonly BenchEvent[],
  connections: number,
): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  pool.on('connect', (client) => client.on('error', () => {}));
  const setUp = await pool.connect();
  for (const { name } of Object.values(tables)) {
    await setUp.query(
      `drop table if exists plain_${name}; create table plain_${name} (like ${name} including all)`,
    );
  }
  const rows = await findRows(setUp, events);
  setUp.release();
  const batches = Array.from({ length: Math.ceil(rows.length / rowsOfTransaction) }, (_, index) =>
    rows.slice(index * rowsOfTransaction, (index + 1) * rowsOfTransaction),
  );
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await pool.connect();
      for (let batch = batches[next++]; batch !== undefined; batch = batches[next++])
        await writeBatch(client, batch);
      client.release();
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.end();
  return rows.length / seconds;
}

async function writeBatch(client: pg.PoolClient, batch: readonly PlainRow[]): Promise<void> {
  await client.query('begin');
  for (const { name, key } of Object.values(tables)) {
    // A statement may upsert a row only once.
    const rows = new Map(batch.filter(({ table }) => table === name).map(({ id, row }) => [id, row]));
    if (rows.size > 0) await client.query(statement(name, ['integration_id', ...key], [...rows.values()]));
  }
  await client.query('commit');
}

function statement(table: string, key: readonly string[], rows: readonly Row[]): pg.QueryConfig {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map(
    (_, at) => `(${columns.map((_column, index) => `$${at * columns.length + index + 1}`).join(', ')})`,
  );
  const updates = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = excluded.${column}`);
  return {
    name: `plain-${table}-${rows.length}`,
    text: `insert into plain_${table} (${columns.join(', ')}) values ${values.join(', ')} on conflict (${key.join(', ')}) do update set ${updates.join(', ')}`,
    values: rows.flatMap((row) => columns.map((column) => row[column])),
  };
}

/** Reads JSON columns as text, so that they are written unchanged. */
const asText = { getTypeParser: () => (value: string) => value };

async function findRows(client: pg.PoolClient, events: readonly BenchEvent[]): Promise<PlainRow[]> {
  const stored = new Map<string, PlainRow>();
  for (const { name, key } of Object.values(tables)) {
    const { rows } = await client.query<Row>({
      text: `select ${await writtenColumns(client, name)} from ${name}`,
      types: asText,
    });
    for (const row of rows) {
      const id = [name, row['integration_id'], ...key.map((column) => row[column])].join('/');
      stored.set(id, { table: name, key, id, row });
    }
  }
  return events.flatMap((event) => stored.get(idOf(event)) ?? []);
}

/** Columns that are not generated. */
async function writtenColumns(client: pg.PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ names: string }>(
    `select string_agg(attname, ', ' order by attnum) as names from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0]?.names ?? '';
}

function idOf({ integrationId, event }: BenchEvent): string {
  const { payload } = event;
  const table = tables[event.eventType].name;
  if (event.eventType === 'workflow_run') return `${table}/${integrationId}/${event.payload.workflow_run.id}`;
  if (event.eventType === 'workflow_job') {
    const { run_id: run, run_attempt: attempt, id } = event.payload.workflow_job;
    return `${table}/${integrationId}/${run}/${attempt}/${id}`;
  }
  if (event.eventType === 'pull_request')
    return `${table}/${integrationId}/${payload.repository.full_name}/${event.payload.number}`;
  if (event.eventType === 'deployment_status')
    return `${table}/${integrationId}/${event.payload.deployment?.id}`;
  return `${table}/${integrationId}/${event.payload.review.id}`;
}
