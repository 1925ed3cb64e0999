import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { findIds, idsEqualTo, isDeliveryId } from './delivery-ids.ts';
import { loadDeliveries, type DeliveriesDeps, type LoadedDelivery } from './load-deliveries.ts';
import { readStoredDeliveries } from './store.ts';
import { readUnqueued, type UnqueuedRow } from './unqueued/unqueued-store.ts';

/** A queued message, or a delivery that was never queued. */
export type FoundDelivery = { known: LoadedDelivery } | { unqueued: UnqueuedRow };

/**
 * Finds a delivery by its Forgewatch id or its forge id. Of several with one forge id, returns the newest that was queued.
 * @throws AppError `not_found` when the integration has no such delivery, or it was deleted.
 */
export async function findDelivery(
  deps: DeliveriesDeps,
  integrationId: string,
  id: string,
): Promise<FoundDelivery> {
  const found = await deps.db.withScope({ integrationId }, async (tx) => {
    const byOurs = isDeliveryId(id) ? await findAmong(tx, deps, integrationId, [id]) : undefined;
    if (byOurs !== undefined) return byOurs;
    const ids = await findIds(tx, integrationId, idsEqualTo(id));
    return ids && findAmong(tx, deps, integrationId, ids);
  });
  if (found !== undefined) return found;
  throw new AppError('not_found', {
    detail: 'Delivery not found. It may have been deleted after the retention time.',
  });
}

/** @throws AppError `not_found`, also for a delivery that was never queued. */
export async function findQueuedDelivery(
  deps: DeliveriesDeps,
  integrationId: string,
  id: string,
): Promise<LoadedDelivery> {
  const found = await findDelivery(deps, integrationId, id);
  if ('known' in found) return found.known;
  throw new AppError('not_found', { detail: 'The delivery was not queued, so its body was not stored.' });
}

async function findAmong(
  tx: Tx,
  { sealer }: DeliveriesDeps,
  integrationId: string,
  ids: readonly string[],
): Promise<FoundDelivery | undefined> {
  const [stored] = await readStoredDeliveries(tx, ids);
  const [known] = await loadDeliveries(tx, sealer, integrationId, stored === undefined ? [] : [stored]);
  if (known !== undefined) return { known };
  const rows = await readUnqueued(tx, integrationId, ids);
  const [unqueued] = rows;
  return unqueued && { unqueued };
}
