import type { Database } from '#platform/database/database.ts';

/** One stored object of the provider, such as a session, grant or refresh token. */
export interface StateRow {
  payload: Record<string, unknown>;
  consumed_at: Date | null;
}

export interface NewState {
  model: string;
  idHash: Buffer;
  payload: object;
  uid: string | undefined;
  grantId: string | undefined;
  /** Seconds from now. */
  expiresIn: number;
}

export async function upsertState(db: Database, state: NewState): Promise<void> {
  await db.statement({
    name: 'provider-upsert',
    text: `insert into provider_state (model, id_hash, payload, uid, grant_id, expires_at)
           values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
           on conflict (model, id_hash) do update set payload = excluded.payload, uid = excluded.uid,
             grant_id = excluded.grant_id, expires_at = excluded.expires_at`,
    values: [
      state.model,
      state.idHash,
      JSON.stringify(state.payload),
      state.uid ?? null,
      state.grantId ?? null,
      state.expiresIn,
    ],
  });
}

export async function findState(db: Database, model: string, idHash: Buffer): Promise<StateRow | undefined> {
  const { rows } = await db.statement<StateRow>({
    name: 'provider-find',
    text: 'select payload, consumed_at from provider_state where model = $1 and id_hash = $2',
    values: [model, idHash],
  });
  return rows[0];
}

export async function findStateByUid(
  db: Database,
  model: string,
  uid: string,
): Promise<StateRow | undefined> {
  const { rows } = await db.statement<StateRow>({
    text: 'select payload, consumed_at from provider_state where model = $1 and uid = $2',
    values: [model, uid],
  });
  return rows[0];
}

/** False when it was already consumed. */
export async function consumeState(db: Database, model: string, idHash: Buffer): Promise<boolean> {
  const { rowCount } = await db.statement({
    name: 'provider-consume',
    text: `update provider_state set consumed_at = now()
           where model = $1 and id_hash = $2 and consumed_at is null`,
    values: [model, idHash],
  });
  return rowCount === 1;
}

export async function deleteState(db: Database, model: string, idHash: Buffer): Promise<void> {
  await db.statement({
    text: 'delete from provider_state where model = $1 and id_hash = $2',
    values: [model, idHash],
  });
}

export async function deleteStateOfGrant(db: Database, model: string, grantId: string): Promise<void> {
  await db.statement({
    text: 'delete from provider_state where model = $1 and grant_id = $2',
    values: [model, grantId],
  });
}

/** Deletes the grant and everything that was issued for it. */
export async function deleteGrant(db: Database, grantId: string, grantIdHash: Buffer): Promise<void> {
  await db.statement({
    text: `delete from provider_state where grant_id = $1 or (model = 'Grant' and id_hash = $2)`,
    values: [grantId, grantIdHash],
  });
}

/** Deletes at most `limit` rows, so that no statement takes long. Returns how many. */
export async function deleteExpiredState(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.statement({
    text: `delete from provider_state where (model, id_hash) in (
             select model, id_hash from provider_state where expires_at < now() order by expires_at limit $1)`,
    values: [limit],
  });
  return rowCount ?? 0;
}
