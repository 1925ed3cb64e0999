import type { Tx } from '#platform/database/database.ts';
import { deleteOldLogs } from './job-log-store.ts';

export interface LogCacheLimits {
  /** Compressed and encrypted, of one integration. */
  logCacheBytes: number;
  /** After a log was last opened. */
  logCacheDays: number;
}

/** Keeps the cache of an integration within its limits. Returns how many logs were deleted. */
export function forgetLogs(
  tx: Tx,
  integrationId: string,
  { logCacheBytes: bytes, logCacheDays: days }: LogCacheLimits,
): Promise<number> {
  return deleteOldLogs(tx, integrationId, { bytes, days });
}
