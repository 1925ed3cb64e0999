import type { Tx } from '#platform/database/database.ts';

/** Locks the stream until the transaction ends. All later updates of the integration have a higher count. */
export async function countRemoval(tx: Tx, integrationId: string): Promise<void> {
  await tx.query('update realtime_stream set removals = removals + 1 where integration_id = $1', [
    integrationId,
  ]);
}

/** Deletes the connection records of the given users, or of all. */
export async function deleteConnectionRecords(
  tx: Tx,
  integrationId: string,
  userIds?: readonly string[],
): Promise<void> {
  await tx.query(
    'delete from ws_connection where integration_id = $1 and ($2::uuid[] is null or user_id = any ($2))',
    [integrationId, userIds ?? null],
  );
}

export async function revokeInvitationsOf(
  tx: Tx,
  integrationId: string,
  inviterIds: readonly string[],
): Promise<void> {
  await tx.query(
    `update invitations set status = 'revoked', ended_at = now()
     where integration_id = $1 and invited_by = any ($2) and status = 'pending'`,
    [integrationId, inviterIds],
  );
}

/** Postgres sends the notifications when the transaction commits. */
export async function notifyMembershipChanges(tx: Tx, payloads: readonly string[]): Promise<void> {
  await tx.query(`select pg_notify('membership_changed', payload) from unnest($1::text[]) as payload`, [
    payloads,
  ]);
}
