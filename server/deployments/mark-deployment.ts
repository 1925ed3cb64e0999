import { AppError } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { countStreamChange } from '#server/realtime/outbox/read-position.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { deleteMark, findMarked, saveMark } from './deployment-store.ts';
import type { DeploymentDeps } from './sources.ts';

/**
 * Says that a deployment failed or did not, whatever the rules say; undefined takes that back.
 * @throws AppError `not_found`
 */
export async function markDeployment(
  { db }: DeploymentDeps,
  actor: Actor,
  key: string,
  hasFailed: boolean | undefined,
): Promise<void> {
  const { integrationId, actorId } = actor;
  await withRole(db, actor, 'member', async (tx) => {
    const marked = await findMarked(tx, integrationId, key);
    if (marked === undefined) throw new AppError('not_found', { detail: 'Deployment not found.' });
    if (hasFailed !== undefined) await saveMark(tx, integrationId, { key, hasFailed, by: actorId });
    else if (!(await deleteMark(tx, integrationId, key)))
      throw new AppError('not_found', { detail: 'Nobody marked this deployment.' });
    const names = await readShownNames(tx, [integrationId]);
    const repository = names.repository(integrationId, marked.repository);
    const what =
      hasFailed === undefined
        ? 'is judged by the rules again'
        : `was marked as ${hasFailed ? '' : 'not '}failed`;
    await addLogEntry(tx, {
      ...actor,
      type: 'deployment.marked',
      title: `The deployment of ${marked.sha?.slice(0, 7) ?? 'a commit'} of ${repository} ${what}`,
      details: { key, repository, sha: marked.sha, hasFailed: hasFailed ?? null },
    });
    // Cached answers contain deployments.
    await countStreamChange(tx, integrationId);
  });
}
