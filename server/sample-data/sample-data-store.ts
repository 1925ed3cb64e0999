import type { Tx } from '#platform/database/database.ts';

export interface SampleDataRow {
  generation: number;
  isPresent: boolean;
  isRemoving: boolean;
}

const columns = `generation, is_present as "isPresent", is_removing as "isRemoving"`;

export function findSampleData(tx: Tx, integrationId: string): Promise<SampleDataRow | undefined> {
  return tx.row<SampleDataRow>({
    name: 'find-sample-data',
    text: `select ${columns} from sample_data where group_id = $1`,
    values: [integrationId],
  });
}

/** Notes that the integration gets sample data. Returns its generation; undefined while earlier sample data is being removed. */
export async function noteSampleData(tx: Tx, integrationId: string): Promise<number | undefined> {
  const { rows } = await tx.query<SampleDataRow>(
    `insert into sample_data as s (group_id) values ($1)
     on conflict (group_id) do update set is_present = s.is_present or not s.is_removing
     returning ${columns}`,
    [integrationId],
  );
  const [row] = rows;
  return row === undefined || row.isRemoving ? undefined : row.generation;
}

/** Starts the removal. Returns false when there is nothing to remove, or it is being removed already. */
export function startRemoval(tx: Tx, integrationId: string): Promise<boolean> {
  return tx.some(
    `update sample_data set generation = generation + 1, is_removing = true
     where group_id = $1 and is_present and not is_removing`,
    [integrationId],
  );
}

/** Waits for the batch that is being stored. Later ones see that sample data is being removed. */
export async function lockStream(tx: Tx, integrationId: string): Promise<void> {
  await tx.query('select from realtime_stream where integration_id = $1 for update', [integrationId]);
}

/** Generations of the integrations in scope whose deliveries may be stored. */
export async function listOpenGenerations(
  tx: Tx,
  integrationIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ id: string; generation: number }>({
    name: 'list-open-sample-generations',
    text: `select group_id as id, generation from sample_data where group_id = any ($1::uuid[]) and not is_removing`,
    values: [integrationIds],
  });
  return new Map(rows.map(({ id, generation }) => [id, generation]));
}

/** Their deliveries are deleted in the background, after they left the queue. */
export async function noteLeftovers(tx: Tx, integrationIds: readonly string[]): Promise<void> {
  await tx.query(
    'update sample_data set has_leftovers = true where group_id = any ($1::uuid[]) and not has_leftovers',
    [integrationIds],
  );
}
