import type { Tx } from '#platform/database/database.ts';

export interface DueSync {
  installation_id: string;
  account_login: string;
  is_suspended: boolean;
  leased_at: Date;
  started_at: Date;
  next_page: number;
  failures: number;
}

/** False when somebody requested a sync during this one: its result is then outdated. */
const isUnchanged = 'sync_due_at = sync_leased_until';

/** Leases the installation whose sync has been due longest. An interrupted sync continues. */
export function leaseDueSync(tx: Tx, leaseMs: number): Promise<DueSync | undefined> {
  return tx.row<DueSync>(
    `update forge_installations set sync_leased_until = now() + make_interval(secs => $1 / 1000.0),
       sync_due_at = now() + make_interval(secs => $1 / 1000.0),
       sync_started_at = case when sync_next_page is null then now() else sync_started_at end,
       sync_next_page = coalesce(sync_next_page, 1)
     where installation_id = (
       select installation_id from forge_installations
       where sync_due_at <= now() and (sync_leased_until is null or sync_leased_until < now())
       order by sync_due_at limit 1 for update skip locked)
     returning installation_id::text, account_login, is_suspended, now() as leased_at,
       sync_started_at as started_at, sync_next_page as next_page, sync_failures as failures`,
    [leaseMs],
  );
}

/** Stores a page of members and the next page; the next sync starts over when one was requested meanwhile. */
export async function saveMemberPage(
  tx: Tx,
  sync: DueSync,
  members: readonly { id: number; login: string }[],
  nextPage: number,
  leaseMs: number,
): Promise<void> {
  await tx.query(
    `insert into organization_members as m (installation_id, forge_id, login, is_member, as_of)
     select $1, id, login, true, $4 from unnest($2::bigint[], $3::text[]) as page (id, login)
     on conflict (installation_id, forge_id) do update
       set login = excluded.login, is_member = true, as_of = excluded.as_of where m.as_of < excluded.as_of`,
    [sync.installation_id, members.map(({ id }) => id), members.map(({ login }) => login), sync.started_at],
  );
  await tx.query(
    `update forge_installations set sync_next_page = case when ${isUnchanged} then $2::int end,
       sync_leased_until = now() + make_interval(secs => $3 / 1000.0),
       sync_due_at = case when ${isUnchanged} then now() + make_interval(secs => $3 / 1000.0) else sync_due_at end
     where installation_id = $1`,
    [sync.installation_id, nextPage, leaseMs],
  );
}

/** Members that were on no page of the sync. */
export function listUnseenMembers(tx: Tx, sync: DueSync): Promise<{ forge_id: string; login: string }[]> {
  return tx.rows<{ forge_id: string; login: string }>(
    `select forge_id::text, login from organization_members
     where installation_id = $1 and is_member and as_of < $2`,
    [sync.installation_id, sync.started_at],
  );
}

/** Returns those that no event reported meanwhile. */
export function removeUnseenMembers(tx: Tx, sync: DueSync, forgeIds: readonly string[]): Promise<string[]> {
  return tx.column<string>(
    `update organization_members set is_member = false, as_of = $3
     where installation_id = $1 and forge_id = any ($2::bigint[]) and is_member and as_of < $3 returning forge_id::text`,
    [sync.installation_id, forgeIds, sync.started_at],
  );
}

/** Schedules the next sync in `nextMs`, or at once if one was requested during this sync. */
export async function finishSync(tx: Tx, sync: DueSync, nextMs: number): Promise<void> {
  await tx.query(
    `update forge_installations set sync_finished_at = now(), sync_next_page = null, sync_leased_until = null,
       sync_failures = 0, sync_error = null,
       sync_due_at = case when ${isUnchanged} then now() + make_interval(secs => $2 / 1000.0) else sync_due_at end
     where installation_id = $1`,
    [sync.installation_id, nextMs],
  );
}

/** Ends a sync that has nothing to read. Undefined `nextMs` means no further sync is scheduled. */
export async function skipSync(tx: Tx, sync: DueSync, nextMs: number | undefined): Promise<void> {
  await tx.query(
    `update forge_installations set sync_started_at = sync_finished_at, sync_next_page = null, sync_leased_until = null,
       sync_failures = 0, sync_error = null,
       sync_due_at = case when ${isUnchanged} then now() + make_interval(secs => $2 / 1000.0) else sync_due_at end
     where installation_id = $1`,
    [sync.installation_id, nextMs ?? null],
  );
}

/** Continues from the stored page in `nextMs`. */
export async function rescheduleSync(tx: Tx, sync: DueSync, nextMs: number, error: string): Promise<void> {
  await tx.query(
    `update forge_installations set sync_leased_until = null, sync_failures = sync_failures + 1, sync_error = $3,
       sync_due_at = case when ${isUnchanged} then now() + make_interval(secs => $2 / 1000.0) else sync_due_at end
     where installation_id = $1`,
    [sync.installation_id, nextMs, error],
  );
}

/** Continues from the stored page, after the syncs that wait. */
export async function pauseSync(tx: Tx, sync: DueSync): Promise<void> {
  await tx.query(
    `update forge_installations set sync_leased_until = null, sync_due_at = least(sync_due_at, now())
     where installation_id = $1`,
    [sync.installation_id],
  );
}
