import { maxSavedViews, type SavedView, type SavedViewBody } from '#contract/runs/saved-views.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { deleteView, insertView, listViews, lockViews, updateView, type Owner } from './store.ts';

/** @throws AppError `conflict` when the name is taken, or the caller has too many views */
export async function createView(db: Database, owner: Owner, body: SavedViewBody): Promise<SavedView> {
  return db.withScope({ integrationId: owner.integrationId }, async (tx) => {
    lockViews(tx, owner);
    const views = await listViews(tx, owner);
    if (views.length >= maxSavedViews)
      throw new AppError('conflict', {
        detail: `The limit of ${maxSavedViews} saved views is reached. Delete one first.`,
      });
    refuseTaken(views, body.name);
    return insertView(tx, owner, trimmed(body));
  });
}

/** Changes the name and filters of a view. @throws AppError `not_found`; `conflict` when the name is taken */
export async function changeView(
  db: Database,
  owner: Owner,
  viewId: string,
  body: SavedViewBody,
): Promise<SavedView> {
  return db.withScope({ integrationId: owner.integrationId }, async (tx) => {
    lockViews(tx, owner);
    const views = await listViews(tx, owner);
    refuseTaken(
      views.filter((view) => view.viewId !== viewId),
      body.name,
    );
    const changed = await updateView(tx, owner, viewId, trimmed(body));
    if (changed === undefined) throw noSuchView();
    return changed;
  });
}

/** @throws AppError `not_found` */
export async function removeView(db: Database, owner: Owner, viewId: string): Promise<void> {
  const isDeleted = await db.withScope({ integrationId: owner.integrationId }, (tx) =>
    deleteView(tx, owner, viewId),
  );
  if (!isDeleted) throw noSuchView();
}

const trimmed = ({ name, filter }: SavedViewBody): SavedViewBody => ({ name: name.trim(), filter });

function refuseTaken(views: readonly SavedView[], name: string): void {
  const wanted = name.trim().toLowerCase();
  if (views.some((view) => view.name.toLowerCase() === wanted))
    throw new AppError('conflict', { detail: `A saved view named "${name.trim()}" already exists.` });
}

function noSuchView(): AppError {
  return new AppError('not_found', { detail: 'Saved view not found.' });
}
