import type { Tx } from '#platform/database/database.ts';

/** Of one integration in one batch; both lists in the order of the messages. */
export interface OutcomeRow {
  integrationId: string;
  seqs: string[];
  codes: number[];
}

const columnTypes = ['uuid', 'bigint', 'bigint', 'bigint[]', 'bytea'] as const;

export function insertOutcomes(tx: Tx, rows: readonly OutcomeRow[]): void {
  const width = columnTypes.length;
  const places = rows.map(
    (_, row) => `(${columnTypes.map((type, index) => `$${row * width + index + 1}::${type}`).join(', ')})`,
  );
  void tx.query({
    name: `insert ${rows.length} delivery outcomes`,
    text: `insert into delivery_outcomes (integration_id, first_seq, last_seq, seqs, codes)
           values ${places.join(', ')} on conflict do nothing`,
    values: rows.flatMap(({ integrationId, seqs, codes }) => [
      integrationId,
      seqs[0],
      seqs.at(-1),
      `{${seqs.join(',')}}`,
      Buffer.from(codes),
    ]),
  });
}

/** A message as it lies in the queue, sealed. */
export interface StoredDelivery {
  seq: string;
  deduplicationId: string;
  acceptedAt: Date;
  isDead: boolean;
  isDone: boolean;
  isLeased: boolean;
  body: Buffer;
}

const columns = `seq::text, deduplication_id as "deduplicationId", accepted_at as "acceptedAt", is_dead as "isDead",
  is_done as "isDone", is_leased as "isLeased", body`;

export interface DeliveryTimes {
  from?: string | undefined;
  to?: string | undefined;
}

/** The queue's functions show the messages of the integration in the transaction's scope alone. Newest first. */
export async function listStoredDeliveries(
  tx: Tx,
  before: string | undefined,
  { from, to }: DeliveryTimes,
  limit: number,
): Promise<StoredDelivery[]> {
  const { rows } = await tx.query<StoredDelivery>({
    text: `select ${columns} from delivery_list($1, $2, $3, $4)`,
    values: [before, from, to, limit],
  });
  return rows;
}

export async function readStoredDeliveries(tx: Tx, seqs: readonly string[]): Promise<StoredDelivery[]> {
  const { rows } = await tx.query<StoredDelivery>({
    text: `select ${columns} from delivery_read($1::bigint[])`,
    values: [seqs],
  });
  return rows;
}

/** Ids from `from` on, up to `to`, which is not among them; in the order of their bytes. */
export interface IdRange {
  from: string;
  to: string;
}

/** Messages whose delivery id lies in the range, in no order: at most `most`, and as many dead ones. */
export async function findDeliveries(tx: Tx, { from, to }: IdRange, most: number): Promise<string[]> {
  const { rows } = await tx.query<{ seq: string }>({
    text: `select seq::text from delivery_find($1, $2, $3) f (seq)`,
    values: [from, to, most],
  });
  return rows.map(({ seq }) => seq);
}

/** Part of a payload that lies apart, sealed; undefined when it is no longer kept, or is not the scope's. */
export async function readPayloadPart(
  tx: Tx,
  payloadRef: string,
  start: number,
  length: number,
): Promise<Buffer | undefined> {
  const { rows } = await tx.query<{ part: Buffer | null }>({
    text: 'select delivery_payload_part($1, $2, $3) as part',
    // Postgres counts from 1.
    values: [payloadRef, start + 1, length],
  });
  return rows[0]?.part ?? undefined;
}

export interface Death {
  reason: string;
  detail: string | null;
  deadAt: Date;
  /** How it stopped lying among the dead letters; null as long as it does. */
  ended: 'redriven' | 'dropped' | 'forgotten' | null;
  endedAt: Date | null;
  /** The message that took the place of a redriven one. */
  successor: string | null;
}

/** Why messages are dead, by message. */
export async function listDeaths(tx: Tx, seqs: readonly string[]): Promise<Map<string, Death>> {
  if (seqs.length === 0) return new Map();
  const { rows } = await tx.query<Death & { seq: string }>({
    text: `select seq::text, reason, detail, dead_at as "deadAt", ended, ended_at as "endedAt", successor::text
           from delivery_death($1::bigint[])`,
    values: [seqs],
  });
  return new Map(rows.map(({ seq, ...death }) => [seq, death]));
}

export interface RecordedOutcome {
  code: number;
  settledAt: Date;
}

/** What became of messages, by message. Batches of an integration follow each other: only one can hold a message. */
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

/** The oldest of an integration's outcomes, as far as they are older than `before`. Returns how many. */
export async function deleteOutcomes(
  tx: Tx,
  integrationId: string,
  before: Date,
  most: number,
): Promise<number> {
  const { rowCount } = await tx.query({
    text: `delete from delivery_outcomes where integration_id = $1 and settled_at < $2 and last_seq = any (array(
             select last_seq from delivery_outcomes where integration_id = $1 order by last_seq limit ${most}))`,
    values: [integrationId, before],
  });
  return rowCount ?? 0;
}

/** Whether the scope of the transaction holds an integration: none for people who are no members of it. */
export async function isScopeOpen(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ open: boolean }>('select scope_integration_id() is not null as open');
  return rows[0]?.open ?? false;
}
