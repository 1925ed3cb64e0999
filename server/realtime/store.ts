import type { UpdateType } from '#contract/runs/realtime.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';

/**
 * Locks the counters in a fixed order, so that two writers cannot deadlock. Returns the start of the transaction by the database's
 * clock; undefined when none of the integrations exists.
 */
export function lockStreamRows(tx: Tx, integrationIds: readonly string[]): Promise<number | undefined> {
  return tx.value<number>({
    name: 'realtime-lock-streams',
    text: `select (extract(epoch from now()) * 1000)::float8 as now
           from realtime_stream where integration_id = any ($1::uuid[]) order by integration_id for update`,
    values: [integrationIds],
  });
}

export interface NewPointer {
  integrationId: string;
  type: UpdateType;
  runId: number;
  attempt: number;
  jobId: number | null;
  /** Position among the integration's updates of this call, from 1. */
  ordinal: number;
}

export interface AppendedRow {
  integration_id: string;
  epoch: string;
  /** The counter before the call. */
  base: string;
  /** The number of members removed before. */
  removals: string;
  at: Date;
}

/**
 * Increments the counters and writes the pointers in one statement. `counts` contains every integration whose events were stored.
 * Omits integrations that were deleted meanwhile.
 */
export function appendPointers(
  tx: Tx,
  counts: ReadonlyMap<string, number>,
  pointers: readonly NewPointer[],
): Promise<AppendedRow[]> {
  return tx.rows<AppendedRow>({
    name: 'realtime-append',
    text: `with counted as (
             update realtime_stream s set seq = s.seq + c.n, changes = s.changes + 1
             from unnest($1::uuid[], $2::int[]) as c (integration_id, n)
             where s.integration_id = c.integration_id
             returning s.integration_id, s.epoch, s.seq - c.n as base, s.removals
           ), appended as (
             insert into realtime_outbox (integration_id, epoch, seq, type, run_id, attempt, job_id)
             select u.integration_id, counted.epoch, counted.base + u.ordinal, u.type, u.run_id, u.attempt, u.job_id
             from unnest($3::uuid[], $4::int[], $5::realtime_update[], $6::bigint[], $7::int[], $8::bigint[])
                  as u (integration_id, ordinal, type, run_id, attempt, job_id)
             join counted on counted.integration_id = u.integration_id
           )
           select integration_id, epoch, base, removals, now() as at from counted`,
    values: [
      [...counts.keys()],
      [...counts.values()],
      ...columnsOf(pointers, 'integrationId', 'ordinal', 'type', 'runId', 'attempt', 'jobId'),
    ],
  });
}

/** Numbers an update that nobody will find, so that sockets resync, and announces its number. */
export async function skipUpdate(tx: Tx, integrationId: string, channel: string): Promise<void> {
  await tx.query(
    `with skipped as (
       update realtime_stream set seq = seq + 1, changes = changes + 1 where integration_id = $1 returning seq)
     select pg_notify($2, $1::uuid || ':' || seq) from skipped`,
    [integrationId, channel],
  );
}

export interface PositionRow {
  integration_id: string;
  epoch: string;
  seq: string;
  removals: string;
}

export function listPositions(tx: Tx, integrationIds: readonly string[]): Promise<PositionRow[]> {
  return tx.rows<PositionRow>({
    name: 'realtime-positions',
    text: `select integration_id, epoch, seq, removals from realtime_stream
           where integration_id = any ($1::uuid[])`,
    values: [integrationIds],
  });
}

/** Counts a change that no socket gets, so that cached answers are read again. */
export async function countChange(tx: Tx, integrationId: string): Promise<void> {
  await tx.query('update realtime_stream set changes = changes + 1 where integration_id = $1', [
    integrationId,
  ]);
}

export function findChanges(tx: Tx, integrationId: string): Promise<string | undefined> {
  return tx.value<string>({
    name: 'realtime-changes',
    text: `select epoch || ' ' || changes as changes from realtime_stream where integration_id = $1`,
    values: [integrationId],
  });
}

export interface MissedRow {
  integration_id: string;
  epoch: string;
  /** The counter in the same snapshot. */
  head: string;
  removals: string;
  /** Null, with the columns below, when the outbox has nothing after the position. */
  seq: string | null;
  type: UpdateType;
  run_id: string;
  attempt: number;
  job_id: string | null;
  at: Date;
}

/** Pointers after each position, oldest first, at most `limit` per integration. */
export function listMissed(tx: Tx, after: ReadonlyMap<string, number>, limit: number): Promise<MissedRow[]> {
  return tx.rows<MissedRow>({
    name: 'realtime-missed',
    text: `select s.integration_id, s.epoch, s.seq as head, s.removals, o.seq, o.type, o.run_id, o.attempt, o.job_id, o.at
           from unnest($1::uuid[], $2::bigint[]) as w (integration_id, after)
           join realtime_stream s on s.integration_id = w.integration_id
           left join lateral (
             select * from realtime_outbox o
             where o.integration_id = w.integration_id and o.seq > w.after and o.seq <= s.seq and o.epoch = s.epoch
             order by o.seq limit $3
           ) o on true
           order by s.integration_id, o.seq`,
    values: [[...after.keys()], [...after.values()], limit],
  });
}

export async function notify(tx: Tx, channel: string, payloads: readonly string[]): Promise<void> {
  await tx.query({
    name: 'realtime-notify',
    text: 'select pg_notify($1, payload) from unnest($2::text[]) as payload',
    values: [channel, payloads],
  });
}

/** In a separate transaction with asynchronous commit: the updates are durable, and a lost notification is repaired. */
export async function notifyAsync(db: Database, channel: string, payloads: readonly string[]): Promise<void> {
  await db.statement({
    name: 'realtime-notify-async',
    text: `select set_config('synchronous_commit', 'off', true), pg_notify($1, payload)
           from unnest($2::text[]) as payload`,
    values: [channel, payloads],
  });
}

/** Empties the slot of the ring that is used next. Gives up quickly while somebody reads it. */
export async function trimOutbox(tx: Tx): Promise<void> {
  const { rows } = await tx.query<{ slot: number; is_empty: boolean }>(
    `select slot, pg_relation_size('realtime_outbox_' || slot) = 0 as is_empty
     from (select ((floor(extract(epoch from now()) / 1800)::bigint + 1) % 4)::int as slot) as next`,
  );
  const [next] = rows;
  if (next === undefined || next.is_empty) return;
  await tx.query(`set local lock_timeout = '200ms'`);
  await tx.query(`truncate realtime_outbox_${next.slot}`);
}

/** Inserts the node's row or extends its lease. Returns the number of nodes alive and whether the row was missing. */
export async function renewNode(
  tx: Tx,
  nodeId: string,
  leaseMs: number,
): Promise<{ wasGone: boolean; nodes: number }> {
  const { rows } = await tx.query<{ was_gone: boolean; others: number }>({
    name: 'realtime-renew-node',
    text: `insert into ws_node as n (node_id, lease_until) values ($1, now() + $2 * interval '1 ms')
           on conflict (node_id) do update set lease_until = excluded.lease_until
           returning xmax = 0 as was_gone,
             (select count(*)::int from ws_node where lease_until > now() and node_id <> $1) as others`,
    values: [nodeId, leaseMs],
  });
  return { wasGone: rows[0]?.was_gone ?? false, nodes: 1 + (rows[0]?.others ?? 0) };
}

/** Also deletes their connection records. */
export function deleteExpiredNodes(tx: Tx): Promise<number> {
  return tx.execute(
    `delete from ws_node where node_id in
       (select node_id from ws_node where lease_until < now() order by node_id for update skip locked)`,
  );
}

export async function deleteNode(tx: Tx, nodeId: string): Promise<void> {
  await tx.query('delete from ws_node where node_id = $1', [nodeId]);
}
