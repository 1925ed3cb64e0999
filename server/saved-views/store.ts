import type { SavedView, SavedViewBody } from '#contract/runs/saved-views.ts';
import type { Tx } from '#platform/database/database.ts';

/** The views of one user in one integration. */
export interface Owner {
  integrationId: string;
  userId: string;
}

interface ViewRow extends Omit<SavedView, 'createdAt'> {
  createdAt: Date;
}

const columns = `view_id as "viewId", name, filter, created_at as "createdAt"`;
const toView = (row: ViewRow): SavedView => ({ ...row, createdAt: row.createdAt.toISOString() });

/** By name, ignoring case. */
export async function listViews(tx: Tx, { integrationId, userId }: Owner): Promise<SavedView[]> {
  const rows = await tx.rows<ViewRow>(
    `select ${columns} from saved_views where integration_id = $1 and user_id = $2 order by lower(name), view_id`,
    [integrationId, userId],
  );
  return rows.map(toView);
}

/** Serializes changes to the user's views until the end of the transaction. Not awaited: the next statement waits. */
export function lockViews(tx: Tx, { integrationId, userId }: Owner): void {
  void tx.query('select from memberships where integration_id = $1 and user_id = $2 for no key update', [
    integrationId,
    userId,
  ]);
}

export async function insertView(
  tx: Tx,
  { integrationId, userId }: Owner,
  { name, filter }: SavedViewBody,
): Promise<SavedView> {
  const { rows } = await tx.query<ViewRow>(
    `insert into saved_views (integration_id, user_id, name, filter) values ($1, $2, $3, $4) returning ${columns}`,
    [integrationId, userId, name, JSON.stringify(filter)],
  );
  return toView(rows[0]!);
}

/** Undefined when the user has no such view. */
export async function updateView(
  tx: Tx,
  { integrationId, userId }: Owner,
  viewId: string,
  { name, filter }: SavedViewBody,
): Promise<SavedView | undefined> {
  const row = await tx.row<ViewRow>(
    `update saved_views set name = $4, filter = $5
     where integration_id = $1 and user_id = $2 and view_id = $3 returning ${columns}`,
    [integrationId, userId, viewId, name, JSON.stringify(filter)],
  );
  return row && toView(row);
}

/** False when the user has no such view. */
export function deleteView(tx: Tx, { integrationId, userId }: Owner, viewId: string): Promise<boolean> {
  return tx.some('delete from saved_views where integration_id = $1 and user_id = $2 and view_id = $3', [
    integrationId,
    userId,
    viewId,
  ]);
}
