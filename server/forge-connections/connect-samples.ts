import type { Tx } from '#platform/database/database.ts';
import { endLinkTasks } from '#server/forge-tasks/request-tasks.ts';
import type { Actor } from '#server/members/locks/lock-member-role.ts';
import { chooseRepositories } from './choose-repositories.ts';
import { readConnection } from './read-connection.ts';
import { saveConnection, type ConnectionDeps } from './save-connection.ts';
import { findConnection, markRemoved } from './store.ts';

/**
 * Connects the integration to the forge of the sample traffic like to any other, unless it is connected to another one. Its account
 * has a name that no account of a real forge has. @throws AppError
 */
export async function connectSamples(
  deps: ConnectionDeps,
  actor: Actor,
  {
    account,
    repositories,
    url,
    token,
  }: { account: string; repositories: readonly string[]; url: string; token: string },
): Promise<void> {
  const { connection } = await readConnection(deps.db, actor.integrationId);
  if (connection !== null && (connection.account !== account || connection.url === url)) return;
  await saveConnection(deps, actor, { forge: 'github', url, token });
  await chooseRepositories(deps, actor, repositories);
}

/** Ends the connection of `connectSamples`, and no other. Needs the integration in scope. */
export async function disconnectSamples(tx: Tx, integrationId: string, account: string): Promise<void> {
  if ((await findConnection(tx, integrationId))?.account_login !== account) return;
  await markRemoved(tx, integrationId);
  await endLinkTasks(tx, integrationId, null);
}
