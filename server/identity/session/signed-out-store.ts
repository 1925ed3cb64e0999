import type { Database, Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';

export interface SignedOutRow {
  entry: string;
  signed_out_at: Date;
  expires_at: Date;
}

export interface NewSignedOut {
  /** `token:`, `session:` or `user:`, followed by an ID. */
  entry: string;
  expiresAt: Date;
  sessionId?: string;
  userId?: string;
}

/** An existing entry keeps the later of both expiry times. */
export async function insertSignedOut(tx: Tx, entries: readonly NewSignedOut[]): Promise<void> {
  await tx.query(
    `insert into signed_out (entry, expires_at, session_id, user_id)
     select distinct on (1) * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::uuid[])
     on conflict (entry) do update set
       signed_out_at = now(),
       session_id = excluded.session_id,
       expires_at = greatest(signed_out.expires_at, excluded.expires_at)`,
    [
      ...columnsOf(entries, 'entry', 'expiresAt'),
      entries.map(({ sessionId }) => sessionId ?? null),
      entries.map(({ userId }) => userId ?? null),
    ],
  );
}

/** All entries that have not expired, or only those added since `after`. */
export async function listSignedOut(db: Database, after: Date | undefined): Promise<SignedOutRow[]> {
  const { rows } = await db.statement<SignedOutRow>({
    name: 'signed-out-list',
    text: `select entry, signed_out_at, expires_at from signed_out
           where signed_out_at > coalesce($1, '-infinity'::timestamptz) and expires_at > now()`,
    values: [after ?? null],
  });
  return rows;
}

/** Finds those of the entries that have not expired. */
export async function findSignedOut(db: Database, entries: readonly string[]): Promise<SignedOutRow[]> {
  const { rows } = await db.statement<SignedOutRow>({
    name: 'signed-out-find',
    text: `select entry, signed_out_at, expires_at from signed_out
           where entry = any ($1) and expires_at > now()`,
    values: [entries],
  });
  return rows;
}

/** A new sign-in continued the session, so its new sockets may stay. Its older tokens remain ended. */
export async function reopenSession(db: Database, sessionId: string): Promise<void> {
  await db.statement({
    text: 'update signed_out set session_id = null where session_id = $1',
    values: [sessionId],
  });
}

export async function deleteExpiredSignedOut(db: Database): Promise<void> {
  await db.statement({ text: 'delete from signed_out where expires_at < now()' });
}
