import type { Tx } from '#platform/database/database.ts';

export interface SigningKeyRow {
  kid: string;
  private_key: Buffer;
  signs_from: Date;
}

/** An arbitrary constant. Only one process at a time rotates the keys. */
const lockId = 4_821_007;

export async function lockSigningKeys(tx: Tx): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [lockId]);
}

export function listSigningKeys(tx: Tx, purpose: string): Promise<SigningKeyRow[]> {
  return tx.rows<SigningKeyRow>(
    'select kid, private_key, signs_from from signing_key where purpose = $1 order by signs_from',
    [purpose],
  );
}

export async function insertSigningKey(
  tx: Tx,
  key: { kid: string; purpose: string; sealed: Buffer; signsFrom: Date },
): Promise<void> {
  await tx.query('insert into signing_key (kid, purpose, private_key, signs_from) values ($1, $2, $3, $4)', [
    key.kid,
    key.purpose,
    key.sealed,
    key.signsFrom,
  ]);
}

export async function deleteSigningKeys(tx: Tx, kids: readonly string[]): Promise<void> {
  await tx.query('delete from signing_key where kid = any ($1)', [kids]);
}
