import { randomUUID } from 'node:crypto';
import { mostSavedViews, type SavedView, type SavedViewBody } from '#contract/saved-views.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { deleteView, insertView, listViews, lockViews, updateView, type Owner } from './store.ts';

/** @throws AppError `conflict` when there is one of this name, or too many of them */
export async function createView(db: Database, owner: Owner, body: SavedViewBody): Promise<SavedView> {
  return db.withScope({ integrationId: owner.integrationId }, async (tx) => {
    void lockViews(tx, owner);
    const views = await listViews(tx, owner);
    if (views.length >= mostSavedViews)
      throw new AppError('conflict', {
        detail: `You have ${mostSavedViews} views here, which is the most. Delete one first.`,
      });
    refuseTaken(views, body.name);
    const viewId = randomUUID();
    await insertView(tx, owner, viewId, trimmed(body));
    return savedView(tx, owner, viewId);
  });
}

/** Gives a view another name, other filters or both. @throws AppError `not_found`, `conflict` when the name is taken */
export async function changeView(
  db: Database,
  owner: Owner,
  viewId: string,
  body: SavedViewBody,
): Promise<SavedView> {
  return db.withScope({ integrationId: owner.integrationId }, async (tx) => {
    void lockViews(tx, owner);
    const views = await listViews(tx, owner);
    const others = views.filter((view) => view.viewId !== viewId);
    if (others.length === views.length) throw noSuchView();
    refuseTaken(others, body.name);
    await updateView(tx, owner, viewId, trimmed(body));
    return savedView(tx, owner, viewId);
  });
}

/** @throws AppError `not_found` */
export async function removeView(db: Database, owner: Owner, viewId: string): Promise<void> {
  const isGone = await db.withScope({ integrationId: owner.integrationId }, (tx) =>
    deleteView(tx, owner, viewId),
  );
  if (!isGone) throw noSuchView();
}

const trimmed = ({ name, filter }: SavedViewBody): SavedViewBody => ({ name: name.trim(), filter });

function refuseTaken(views: readonly SavedView[], name: string): void {
  const wanted = name.trim().toLowerCase();
  if (views.some((view) => view.name.toLowerCase() === wanted))
    throw new AppError('conflict', { detail: `You have a view of the name "${name.trim()}" already.` });
}

async function savedView(tx: Tx, owner: Owner, viewId: string): Promise<SavedView> {
  const view = (await listViews(tx, owner)).find((each) => each.viewId === viewId);
  if (view === undefined) throw new Error('the view was not stored');
  return view;
}

function noSuchView(): AppError {
  return new AppError('not_found', { detail: 'You have no such view.' });
}
