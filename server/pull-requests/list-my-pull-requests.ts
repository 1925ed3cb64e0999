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
  const { forgeLogin, pullRequests } = await readOpenPullRequests(tx, [integrationId], userId, maxMine);
  return { forgeLogin, items: pullRequests.map(({ pullRequest }) => pullRequest) };
}

/** The same in several integrations, at most `limit` in all. */
export async function readOpenPullRequests(
  tx: Tx,
  integrationIds: readonly string[],
  userId: string,
  limit: number,
): Promise<{
  forgeLogin: string | null;
  pullRequests: { integrationId: string; pullRequest: PullRequestItem }[];
}> {
  const forgeLogin = await findForgeLogin(tx, userId);
  if (forgeLogin === null) return { forgeLogin, pullRequests: [] };
  const rows = await listOpenOf(tx, integrationIds, forgeLogin, limit);
  const lists = await Promise.all(
    [...Map.groupBy(rows, (row) => row.integrationId)].map(async ([integrationId, own]) => {
      const items = await pullRequestItems(tx, integrationId, own);
      return items.map((pullRequest) => ({ integrationId, pullRequest }));
    }),
  );
  const pullRequests = lists
    .flat()
    .toSorted((one, other) => byAttention(one.pullRequest, other.pullRequest))
    .slice(0, limit);
  return { forgeLogin, pullRequests };
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
