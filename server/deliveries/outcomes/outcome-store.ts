import type { Tx } from '#platform/database/database.ts';

/** Outcomes of one integration in one batch. Both lists are in the order of the messages. */
export interface OutcomeRow {
  integrationId: string;
  seqs: string[];
  codes: number[];
}

export function insertOutcomes(tx: Tx, rows: readonly OutcomeRow[]): void {
  void tx.query({
    name: 'insert-delivery-outcomes',
    // Arrays of different lengths do not fit into one array, so they are text until here.
    text: `insert into delivery_outcomes (integration_id, first_seq, last_seq, seqs, codes)
           select id, seqs[1], seqs[cardinality(seqs)], seqs, codes
           from unnest($1::uuid[], $2::text[], $3::bytea[]) r (id, list, codes) cross join lateral (select list::bigint[] as seqs) s
           on conflict do nothing`,
    values: [
      rows.map(({ integrationId }) => integrationId),
      rows.map(({ seqs }) => `{${seqs.join(',')}}`),
      rows.map(({ codes }) => Buffer.from(codes)),
    ],
  });
}

export interface RecordedOutcome {
  code: number;
  settledAt: Date;
}

/** Outcomes by message. The ranges of an integration's batches do not overlap, so only one row can contain a message. */
export async function listOutcomes(
  tx: Tx,
  integrationId: string,
  seqs: readonly string[],
): Promise<Map<string, RecordedOutcome>> {
  const { rows } = await tx.query<RecordedOutcome & { seq: string }>({
    text: `select m.seq::text, get_byte(o.codes, array_position(o.seqs, m.seq) - 1) as code, o.settled_at as "settledAt"
           from unnest($2::bigint[]) m (seq)
           cross join lateral (
             select * from delivery_outcomes n
             where n.integration_id = $1 and n.last_seq >= m.seq order by n.last_seq limit 1) o
           where m.seq = any (o.seqs)`,
    values: [integrationId, seqs],
  });
  return new Map(rows.map(({ seq, ...outcome }) => [seq, outcome]));
}

/** Deletes the oldest outcomes of an integration that are older than `before`. Returns how many. */
export function deleteOutcomes(tx: Tx, integrationId: string, before: Date, most: number): Promise<number> {
  return tx.execute({
    text: `delete from delivery_outcomes where integration_id = $1 and settled_at < $2 and last_seq = any (array(
             select last_seq from delivery_outcomes where integration_id = $1 order by last_seq limit ${most}))`,
    values: [integrationId, before],
  });
}
