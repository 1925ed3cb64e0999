import {
  checkStates,
  maxMine,
  type MyPullRequests,
  type PullRequestItem,
} from '#contract/runs/pull-requests.ts';
import type { Tx } from '#platform/database/database.ts';
import { pullRequestItems } from './pull-request-items.ts';
import { findForgeLogin, listOpenOf } from './pull-request-store.ts';

/** The open pull requests whose author is the caller's account at the forge. */
export async function listMyPullRequests(
  tx: Tx,
  integrationId: string,
  userId: string,
): Promise<MyPullRequests> {
  const forgeLogin = await findForgeLogin(tx, userId);
  if (forgeLogin === null) return { forgeLogin, items: [] };
  const rows = await listOpenOf(tx, integrationId, forgeLogin, maxMine);
  const items = await pullRequestItems(tx, integrationId, rows);
  return { forgeLogin, items: items.sort(byAttention) };
}

function byAttention(one: PullRequestItem, other: PullRequestItem): number {
  return (
    rankOf(one) - rankOf(other) ||
    Date.parse(other.updatedAt ?? '1970-01-01') - Date.parse(one.updatedAt ?? '1970-01-01')
  );
}

/** Failed checks come first, then what waits for a person, then the rest in the order of the states. */
function rankOf({ checks: { state }, review }: PullRequestItem): number {
  const rank = checkStates.indexOf(state);
  return review === 'changes_requested' ? Math.min(rank, checkStates.indexOf('action_required')) : rank;
}
