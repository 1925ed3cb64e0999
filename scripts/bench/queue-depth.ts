import pg from 'pg';

/** Messages that are not processed yet. */
export async function queueDepth(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(
    'select ready + in_flight as count from queue_depth()',
  );
  await client.end();
  return Number(rows[0]?.count);
}
