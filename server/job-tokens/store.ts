import type { Tx } from '#platform/database/database.ts';

/** The repository of the forge at `host` with this id, as the integration knows it from its events. */
export function findRepository(
  tx: Tx,
  integrationId: string,
  { forgeId, host }: { forgeId: number; host: string },
): Promise<{ repository: string; place: number } | undefined> {
  return tx.row<{ repository: string; place: number }>(
    'select repository, forge_place as place from repositories where integration_id = $1 and forge_id = $2 and host = $3',
    [integrationId, forgeId, host],
  );
}
