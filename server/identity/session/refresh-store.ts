import type { Database, Tx } from '#platform/database/database.ts';

/** Longer than one provider call and its verification, so that no other process refreshes the same token. */
const lease = '20 seconds';

/** Provider calls for one refresh token. */
export const callsPerMinute = 10;

/** True when `holder` may call the provider. */
export async function claimRefresh(db: Database, tokenHash: Buffer, holder: string): Promise<boolean> {
  const { rowCount } = await db.statement({
    name: 'refresh-claim',
    text: `insert into session_refresh as r (token_hash, holder, lease_until)
           values ($1, $2, now() + interval '${lease}')
           on conflict (token_hash) do update set
             holder = excluded.holder, lease_until = excluded.lease_until, outcome = null, outcome_until = null,
             calls = case when r.calls_since < now() - interval '1 minute' then 1 else r.calls + 1 end,
             calls_since = case when r.calls_since < now() - interval '1 minute' then now() else r.calls_since end
           where (r.outcome_until < now() or r.outcome is null and r.lease_until < now())
             and (r.calls < ${callsPerMinute} or r.calls_since < now() - interval '1 minute')`,
    values: [tokenHash, holder],
  });
  return rowCount === 1;
}

export interface RefreshRow {
  /** Sealed; null while the holder waits for the provider. */
  outcome: Buffer | null;
  /** Seconds until the provider may be called again with this token; null when it may be called. */
  pause: number | null;
}

/** The state of the refresh of this token. Undefined when there is none. */
export async function findRefresh(db: Database, tokenHash: Buffer): Promise<RefreshRow | undefined> {
  const { rows } = await db.statement<RefreshRow>({
    name: 'refresh-find',
    text: `select case when outcome_until > now() then outcome end as outcome,
                  case when calls >= ${callsPerMinute} and calls_since > now() - interval '1 minute'
                         and (outcome is not null or lease_until < now())
                    then ceil(extract(epoch from calls_since + interval '1 minute' - now()))::int end as pause
           from session_refresh where token_hash = $1`,
    values: [tokenHash],
  });
  return rows[0];
}

/** Locks the session until the transaction ends, so that a sign-out and a refresh of it take turns. */
export async function lockSession(tx: Tx, sessionId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('session:' || $1, 0))`, [sessionId]);
}

export interface FinishedRefresh {
  tokenHash: Buffer;
  holder: string;
  outcome: Buffer;
  keptMs: number;
  sessionId?: string;
  /** Entries of `signed_out` that end the new session if they are later than the start of this refresh. */
  endedBy?: readonly string[];
}

/** False when the session was signed out during the refresh, or another process holds the refresh. */
export function finishRefresh(tx: Tx, refresh: FinishedRefresh): Promise<boolean> {
  return tx.some({
    name: 'refresh-finish',
    text: `update session_refresh set holder = null, outcome = $3,
             outcome_until = now() + make_interval(secs => $4), session_id = $5
           where token_hash = $1 and holder = $2 and not exists (
             select from signed_out
             where entry = any ($6) and signed_out_at > session_refresh.lease_until - interval '${lease}')`,
    values: [
      refresh.tokenHash,
      refresh.holder,
      refresh.outcome,
      refresh.keptMs / 1000,
      refresh.sessionId ?? null,
      refresh.endedBy ?? [],
    ],
  });
}

/** Releases the refresh when the call failed before it reached the provider. */
export async function abandonRefresh(db: Database, tokenHash: Buffer, holder: string): Promise<void> {
  await db.statement({
    text: 'delete from session_refresh where token_hash = $1 and holder = $2',
    values: [tokenHash, holder],
  });
}

/** Ends every refresh of a session, including one in progress. Returns the sealed outcomes of finished ones. */
export async function deleteRefreshes(
  tx: Tx,
  session: { tokenHash: Buffer | undefined; sessionId: string | undefined },
): Promise<{ token_hash: Buffer; outcome: Buffer }[]> {
  const { rows } = await tx.query<{ token_hash: Buffer; outcome: Buffer | null }>(
    `delete from session_refresh where token_hash = $1 or session_id = $2 returning token_hash, outcome`,
    [session.tokenHash ?? null, session.sessionId ?? null],
  );
  return rows.flatMap(({ token_hash, outcome }) => (outcome === null ? [] : [{ token_hash, outcome }]));
}

export async function deleteOldRefreshes(db: Database): Promise<void> {
  await db.statement({
    text: `delete from session_refresh where greatest(lease_until, outcome_until, calls_since) < now() - interval '1 minute'`,
  });
}
