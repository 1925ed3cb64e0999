import type { Tx } from '#platform/database/database.ts';

/** SQL: an `Owner` as JSON from the row `w`. */
export const ownerOf = `json_build_object('userId', w.user_id, 'email', w.email, 'name', (
  select coalesce(u.name, u.forge_login) from users u where u.user_id = w.user_id))`;

/** SQL: whether `w` belongs to the workflow or to its repository. */
export const isOwnerOf = (integrationId: string, repository: string, workflow: string): string =>
  `w.integration_id = ${integrationId} and w.repository = ${repository} and w.workflow in ('', coalesce(${workflow}, ''))`;

/** SQL: a value of the owner of a workflow, or else of its repository. */
const ownerRow = (columns: string, integrationId: string, repository: string, workflow: string): string => `(
  select ${columns} from workflow_owners w where ${isOwnerOf(integrationId, repository, workflow)}
  order by w.workflow desc limit 1)`;

/** SQL: the `Owner` of the workflow in these columns; null without one. */
export const ownerOfWorkflow = (integrationId: string, repository: string, workflow: string): string =>
  ownerRow(ownerOf, integrationId, repository, workflow);

/** SQL: the person whose incident `i` is: assigned, or else at work on it, or else the owner of its workflow. */
export const handlerOfIncident = `coalesce(i.assignee_id, i.acknowledged_by,
  ${ownerRow('w.user_id', 'i.integration_id', 'i.repository', 'i.workflow')})`;

/** The mail address of the owner: of a member the one of their account. Undefined without one. */
export async function findOwnerAddress(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: { repository: string; workflow: string | null },
): Promise<string | undefined> {
  const email = `coalesce(w.email, (select u.email from users u where u.user_id = w.user_id))`;
  const found = await tx.value<string | null>(`select ${ownerRow(email, '$1', '$2', '$3')}`, [
    integrationId,
    repository,
    workflow,
  ]);
  return found ?? undefined;
}

/** The name of a member; undefined if the user is no member. */
export function findMemberName(
  tx: Tx,
  integrationId: string,
  userId: string,
): Promise<{ name: string | null } | undefined> {
  return tx.row<{ name: string | null }>(
    `select coalesce(u.name, u.forge_login) as name
     from memberships m join users u on u.user_id = m.user_id
     where m.integration_id = $1 and m.user_id = $2 for share of m`,
    [integrationId, userId],
  );
}
