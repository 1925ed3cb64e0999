import type { Tx } from '#platform/database/database.ts';
import { notifyPullRequests } from './pull-request-store.ts';

/** Open screens reload their pull requests after the commit. Does not wait: a failed statement fails the commit. */
export function announcePullRequests(tx: Tx, integrationIds: readonly string[]): void {
  if (integrationIds.length > 0) notifyPullRequests(tx, [...new Set(integrationIds)]);
}
