import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { PositionRow } from '../store.ts';

/** A requested record: a connection and one integration of its token. */
export interface WantedRecord {
  connectionId: string;
  userId: string;
  integrationId: string;
}

export interface SignIn {
  connectionId: string;
  sessionId: string;
  userId: string;
  issuedAt: Date;
}

/** Connections whose session was signed out, or whose user signed out everywhere after the token was issued. */
export async function listSignedOut(tx: Tx, signIns: readonly SignIn[]): Promise<Set<string>> {
  const connectionIds = await tx.column<string>({
    name: 'realtime-signed-out',
    text: `select c.connection_id
           from unnest($1::uuid[], $2::text[], $3::uuid[], $4::timestamptz[])
             as c (connection_id, session_id, user_id, issued_at)
           where exists (select from signed_out s where s.session_id = c.session_id)
              or exists (select from signed_out s where s.user_id = c.user_id and s.session_id is null
                         and s.signed_out_at >= c.issued_at)`,
    values: columnsOf(signIns, 'connectionId', 'sessionId', 'userId', 'issuedAt'),
  });
  return new Set(connectionIds);
}

export interface RecordedRow extends PositionRow {
  connection_id: string;
}

/**
 * Inserts the requested records that current memberships allow, and returns them with the stream position of each integration.
 * The check is part of the statement, so a removed member gets no record. Needs the integrations in scope. Inserts the node's row
 * too if another node took this one for dead. A fresh token requests records that exist.
 */
export function insertConnections(
  tx: Tx,
  nodeId: string,
  wanted: readonly WantedRecord[],
  leaseMs: number,
): Promise<RecordedRow[]> {
  return tx.rows<RecordedRow>({
    name: 'realtime-connect',
    text: `with recorded as (
             insert into ws_connection (connection_id, integration_id, user_id, node_id)
             select w.connection_id, a.integration_id, a.actor_id, $1
             from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as w (connection_id, user_id, integration_id)
             join actors a on a.integration_id = w.integration_id and a.actor_id = w.user_id
             on conflict (connection_id, integration_id) do update set connected_at = now()
             returning connection_id, integration_id
           ), node as (
             insert into ws_node (node_id, lease_until) values ($1, now() + $5 * interval '1 ms')
             on conflict (node_id) do nothing
           )
           select r.connection_id, s.integration_id, s.epoch, s.seq, s.removals
           from recorded r join realtime_stream s on s.integration_id = r.integration_id`,
    values: [nodeId, ...columnsOf(wanted, 'connectionId', 'userId', 'integrationId'), leaseMs],
  });
}

export type RecordKey = Pick<WantedRecord, 'connectionId' | 'integrationId'>;

export async function deleteConnections(tx: Tx, records: readonly RecordKey[]): Promise<void> {
  await tx.query({
    name: 'realtime-disconnect',
    text: `delete from ws_connection c using unnest($1::uuid[], $2::uuid[]) as gone (connection_id, integration_id)
           where c.connection_id = gone.connection_id and c.integration_id = gone.integration_id`,
    values: columnsOf(records, 'connectionId', 'integrationId'),
  });
}

export interface Member {
  integrationId: string;
  userId: string;
}

/** Returns those who have no membership. Needs the integrations in scope. */
export function listFormerMembers(tx: Tx, members: readonly Member[]): Promise<Member[]> {
  return tx.rows<Member>({
    name: 'realtime-former-members',
    text: `select s.integration_id as "integrationId", s.user_id as "userId"
           from unnest($1::uuid[], $2::uuid[]) as s (integration_id, user_id)
           where not exists (
             select from actors a where a.integration_id = s.integration_id and a.actor_id = s.user_id)`,
    values: columnsOf(members, 'integrationId', 'userId'),
  });
}
