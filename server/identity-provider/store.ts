import type { Database } from '#platform/database/database.ts';

/** One thing that the provider remembers. */
export interface StateRow {
  payload: Record<string, unknown>;
  consumed_at: Date | null;
}

export interface NewState {
  model: string;
  idHash: Buffer;
  payload: object;
  uid: string | undefined;
  userCode: string | undefined;
  grantId: string | undefined;
  /** Seconds from now. */
  expiresIn: number;
}

export async function upsertState(db: Database, state: NewState): Promise<void> {
  await db.statement({
    name: 'provider-upsert',
    text: `insert into provider_state (model, id_hash, payload, uid, user_code, grant_id, expires_at)
           values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
           on conflict (model, id_hash) do update set payload = excluded.payload, uid = excluded.uid,
             user_code = excluded.user_code, grant_id = excluded.grant_id, expires_at = excluded.expires_at`,
    values: [
      state.model,
      state.idHash,
      JSON.stringify(state.payload),
      state.uid ?? null,
      state.userCode ?? null,
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

export async function findStateByUserCode(
  db: Database,
  model: string,
  userCode: string,
): Promise<StateRow | undefined> {
  const { rows } = await db.statement<StateRow>({
    text: 'select payload, consumed_at from provider_state where model = $1 and user_code = $2',
    values: [model, userCode],
  });
  return rows[0];
}

/** False when somebody else used it up before. */
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

/** The grant with everything that was given out on it. */
export async function deleteGrant(db: Database, grantId: string, grantIdHash: Buffer): Promise<void> {
  await db.statement({
    text: `delete from provider_state where grant_id = $1 or (model = 'Grant' and id_hash = $2)`,
    values: [grantId, grantIdHash],
  });
}

/** At most `limit` rows, so that no statement takes long. Answers how many. */
export async function deleteExpiredState(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.statement({
    text: `delete from provider_state where (model, id_hash) in (
             select model, id_hash from provider_state where expires_at < now() order by expires_at limit $1)`,
    values: [limit],
  });
  return rowCount ?? 0;
}
