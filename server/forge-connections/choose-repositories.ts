import type { ForgeRepositories } from '#contract/integrations/forge-connection.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { requestWebhookUpdate } from '#server/forge-tasks/request-tasks.ts';
import { explainFailure } from '#server/forges/explain-failure.ts';
import type { ForgeRepository } from '#server/forges/port.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { notConnected, type ConnectionDeps } from './save-connection.ts';
import { findConnection, replaceChosen } from './store.ts';

/** The repositories that the access token sees, from the forge. @throws AppError */
export async function listForgeRepositories(deps: ConnectionDeps, actor: Actor): Promise<ForgeRepositories> {
  const found = await listSeen(deps, actor);
  return { repositories: found.map(({ name, mayAdminister }) => ({ name, mayAdminister })) };
}

/** Replaces the chosen repositories. The worker creates and removes their webhooks. @throws AppError */
export async function chooseRepositories(
  deps: ConnectionDeps,
  actor: Actor,
  names: readonly string[],
): Promise<void> {
  const { integrationId } = actor;
  const seen = new Map((await listSeen(deps, actor)).map((each) => [each.name, each]));
  const chosen = names.map((name) => {
    const repository = seen.get(name);
    if (repository?.mayAdminister !== true)
      throw new AppError('invalid_request', {
        detail: `The access token may not create webhooks in ${name}. Choose repositories that its account administers.`,
      });
    return repository;
  });
  await withRole(deps.db, actor, 'admin', async (tx) => {
    if ((await findConnection(tx, integrationId)) === undefined) throw notConnected();
    await replaceChosen(tx, integrationId, chosen);
    await requestWebhookUpdate(tx, integrationId);
    await addLogEntry(tx, {
      ...actor,
      type: 'forge_connection.repositories_chosen',
      title:
        names.length === 1
          ? '1 repository is connected by access token'
          : `${names.length} repositories are connected by access token`,
      details: { repositories: names.slice(0, 20), count: names.length },
    });
  });
}

async function listSeen({ db, forges }: ConnectionDeps, actor: Actor): Promise<ForgeRepository[]> {
  const { integrationId } = actor;
  await withRole(db, actor, 'admin', async (tx) => {
    if ((await findConnection(tx, integrationId)) === undefined) throw notConnected();
  });
  try {
    return await (await forges.ofConnection(integrationId, null)).listRepositories();
  } catch (error) {
    throw explainFailure(error, 'The forge refused the access token: ');
  }
}
