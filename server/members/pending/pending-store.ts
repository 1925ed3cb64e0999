import type { Role } from '#contract/members/roles.ts';
import type { Tx } from '#platform/database/database.ts';

/** Integrations with a pending membership of a forge account. Needs the scope of its user. */
export function listPending(tx: Tx, forgeId: string): Promise<string[]> {
  return tx.column<string>({
    name: 'list-pending-memberships',
    text: 'select integration_id from pending_memberships where forge_id = $1 order by integration_id',
    values: [forgeId],
  });
}

/** Deletes and returns the entry; undefined when another request was first. */
export function deletePending(
  tx: Tx,
  integrationId: string,
  forgeId: string,
): Promise<{ role: Role } | undefined> {
  return tx.row<{ role: Role }>(
    'delete from pending_memberships where integration_id = $1 and forge_id = $2 returning role',
    [integrationId, forgeId],
  );
}
