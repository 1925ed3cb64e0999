import {
  mostOwnedPlaces,
  type OwnedPlace,
  type OwnerAnswer,
  type OwnerBody,
  type OwnerQuery,
} from '#contract/alerts/workflow-owners.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { countOwners, deleteOwner, findOwner, findSuggestion, listOwners, saveOwner } from './owner-store.ts';
import { findMemberName } from './stored-owner.ts';

export type OwnerDeps = Pick<SharedDeps, 'db'>;

export async function readOwners(tx: Tx, integrationId: string): Promise<OwnedPlace[]> {
  return (await listOwners(tx, integrationId)).map(({ setBy, setByName, setAt, ...place }) => ({
    ...place,
    setAt: setAt.toISOString(),
    setBy: setBy === null ? null : { userId: setBy, name: setByName },
  }));
}

export async function readOwner(tx: Tx, integrationId: string, place: OwnerQuery): Promise<OwnerAnswer> {
  const [found, suggestion] = await Promise.all([
    findOwner(tx, integrationId, place),
    findSuggestion(tx, integrationId, place),
  ]);
  return { owner: null, ofRepository: false, ...found, suggestion };
}

/**
 * Sets or removes the owner of a workflow or of a repository.
 * @throws AppError `invalid_request` for somebody who is no member; `conflict` when there are too many
 */
export async function setOwner({ db }: OwnerDeps, actor: Actor, body: OwnerBody): Promise<OwnerAnswer> {
  const { integrationId, actorId } = actor;
  const { owner, repository, workflow } = body;
  return withRole(db, actor, 'admin', async (tx) => {
    const name = await nameOf(tx, integrationId, owner);
    if (owner === null) await deleteOwner(tx, integrationId, body);
    else {
      await saveOwner(tx, integrationId, {
        repository,
        workflow,
        userId: 'userId' in owner ? owner.userId : null,
        email: 'email' in owner ? owner.email : null,
        setBy: actorId,
      });
      if ((await countOwners(tx, integrationId)) > mostOwnedPlaces)
        throw new AppError('conflict', {
          detail: `The limit of ${mostOwnedPlaces} owners is reached. Set owners of repositories instead of workflows.`,
        });
    }
    const shown = (await readShownNames(tx, [integrationId])).show(integrationId, { repository, workflow });
    const what = shown.workflow === '' ? shown.repository : `${shown.workflow} in ${shown.repository}`;
    await addLogEntry(tx, {
      ...actor,
      type: 'repository.owner_changed',
      title: name === undefined ? `${what} has no owner any more` : `${what} belongs to ${name}`,
      details: { ...shown, ...owner },
    });
    return readOwner(tx, integrationId, body);
  });
}

/** Undefined for nobody. */
async function nameOf(tx: Tx, integrationId: string, owner: OwnerBody['owner']): Promise<string | undefined> {
  if (owner === null) return undefined;
  if ('email' in owner) return owner.email;
  const member = await findMemberName(tx, integrationId, owner.userId);
  if (member === undefined) throw invalidField('owner.userId', 'must be a member of the integration');
  return member.name ?? 'a member';
}
