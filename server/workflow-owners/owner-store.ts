import {
  leastActs,
  type Owner,
  type OwnerAnswer,
  type OwnerQuery,
} from '#contract/alerts/workflow-owners.ts';
import type { Tx } from '#platform/database/database.ts';
import { isOwnerOf, ownerOf } from './stored-owner.ts';

export interface OwnedRow extends OwnerQuery {
  owner: Owner;
  setAt: Date;
  setBy: string | null;
  setByName: string | null;
}

/** By name. */
export function listOwners(tx: Tx, integrationId: string): Promise<OwnedRow[]> {
  return tx.rows<OwnedRow>(
    `select w.repository, w.workflow, ${ownerOf} as owner, w.set_at as "setAt", w.set_by as "setBy",
       coalesce(s.name, s.forge_login) as "setByName"
     from workflow_owners w left join users s on s.user_id = w.set_by
     where w.integration_id = $1 order by w.repository, w.workflow`,
    [integrationId],
  );
}

export function findOwner(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: OwnerQuery,
): Promise<Pick<OwnerAnswer, 'owner' | 'ofRepository'> | undefined> {
  return tx.row<Pick<OwnerAnswer, 'owner' | 'ofRepository'>>(
    `select ${ownerOf} as owner, w.workflow = '' as "ofRepository" from workflow_owners w
     where ${isOwnerOf('$1', '$2', '$3')} order by w.workflow desc limit 1`,
    [integrationId, repository, workflow],
  );
}

export async function countOwners(tx: Tx, integrationId: string): Promise<number> {
  const count = await tx.value<number>(
    'select count(*)::int from workflow_owners where integration_id = $1',
    [integrationId],
  );
  return count ?? 0;
}

export async function saveOwner(
  tx: Tx,
  integrationId: string,
  row: OwnerQuery & { userId: string | null; email: string | null; setBy: string },
): Promise<void> {
  await tx.query(
    `insert into workflow_owners (integration_id, repository, workflow, user_id, email, set_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (integration_id, repository, workflow) do update
       set user_id = excluded.user_id, email = excluded.email, set_by = excluded.set_by, set_at = now()`,
    [integrationId, row.repository, row.workflow, row.userId, row.email, row.setBy],
  );
}

export function deleteOwner(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: OwnerQuery,
): Promise<boolean> {
  return tx.some(
    'delete from workflow_owners where integration_id = $1 and repository = $2 and workflow = $3 returning true',
    [integrationId, repository, workflow],
  );
}

/** Incidents that are looked at. */
const maxIncidents = 500;

export async function findSuggestion(
  tx: Tx,
  integrationId: string,
  { repository, workflow }: OwnerQuery,
): Promise<OwnerAnswer['suggestion']> {
  const [most, next] = await tx.rows<NonNullable<OwnerAnswer['suggestion']> & { acts: number }>(
    `with about as (
       select acknowledged_by, closed_by_run_id from incidents
       where integration_id = $1 and repository = $2 and ($3 = '' or workflow = $3) and kind = 'failure'
         and opened_at > now() - interval '90 days'
       order by opened_at desc, incident_id desc limit ${maxIncidents}),
     acts as (
       select acknowledged_by as user_id, true as is_acknowledgement from about where acknowledged_by is not null
       union all
       select u.user_id, false from about a
       join workflow_runs r on r.integration_id = $1 and r.run_id = a.closed_by_run_id
       join users u on lower(u.forge_login collate "C") = lower(r.actor collate "C")
       where u.user_id in (select user_id from memberships where integration_id = $1))
     select a.user_id as "userId", coalesce(u.name, u.forge_login) as name, count(*)::int as acts,
       count(*) filter (where a.is_acknowledgement)::int as acknowledged,
       count(*) filter (where not a.is_acknowledgement)::int as fixed
     from acts a
     join memberships m on m.integration_id = $1 and m.user_id = a.user_id
     join users u on u.user_id = a.user_id
     group by 1, 2 order by acts desc, 1 limit 2`,
    [integrationId, repository, workflow],
  );
  if (most === undefined || most.acts < leastActs || most.acts === next?.acts) return null;
  const { userId, name, acknowledged, fixed } = most;
  return { userId, name, acknowledged, fixed };
}
