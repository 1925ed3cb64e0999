import type { Tx } from '#platform/database/database.ts';
import type { PendingRun } from './pending-store.ts';

/** A member who wants mails about their runs. */
export interface Recipient {
  user_id: string;
  name: string | null;
  email: string;
}

/** Only members at this moment, with the setting on for the integration. */
const recipient = `
  select u.user_id, coalesce(u.name, u.forge_login) as name, p.email
  from users u
  join personal_notifications p on p.user_id = u.user_id and p.enabled
    and (p.integration_ids is null or $1 = any (p.integration_ids))
  join memberships m on m.integration_id = $1 and m.user_id = u.user_id`;

/** The member with the forge account. A login can be reassigned: the one who signed in last has it. */
export function findRecipient(tx: Tx, integrationId: string, login: string): Promise<Recipient | undefined> {
  return tx.row<Recipient>(
    `${recipient}
     where lower(u.forge_login) = lower($2) order by u.claims_iat desc limit 1`,
    [integrationId, login],
  );
}

/** Those who were notified that the branch failed in an earlier run or attempt. */
export function findWaiting(
  tx: Tx,
  { integrationId, runId, attempt }: PendingRun,
  branchKey: Buffer,
): Promise<Recipient[]> {
  return tx.rows<Recipient>(
    `${recipient}
     join personal_failures f on f.integration_id = $1 and f.branch_key = $2 and f.user_id = u.user_id
       and (f.run_id, f.attempt) < ($3, $4)`,
    [integrationId, branchKey, runId, attempt],
  );
}

/** False when the person was notified about this run or a later one of the branch. */
export async function isNewFailure(
  tx: Tx,
  { integrationId, runId, attempt }: PendingRun,
  branchKey: Buffer,
  userId: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from personal_failures where integration_id = $1 and branch_key = $2 and user_id = $3
       and (run_id, attempt) >= ($4, $5)`,
    [integrationId, branchKey, userId, runId, attempt],
  );
  return rowCount === 0;
}

export async function noteFailure(
  tx: Tx,
  { integrationId, runId, attempt }: PendingRun,
  branchKey: Buffer,
  userId: string,
): Promise<void> {
  await tx.query(
    `insert into personal_failures as f (integration_id, branch_key, user_id, run_id, attempt)
     select $1, $2, $3, $4, $5 where exists (
       select from memberships m where m.integration_id = $1 and m.user_id = $3)
     on conflict (integration_id, branch_key, user_id) do update set run_id = excluded.run_id, attempt = excluded.attempt,
       at = excluded.at where (f.run_id, f.attempt) < (excluded.run_id, excluded.attempt)`,
    [integrationId, branchKey, userId, runId, attempt],
  );
}

/** Also of people who do not want mails any more. */
export async function forgetFailures(
  tx: Tx,
  { integrationId, runId, attempt }: PendingRun,
  branchKey: Buffer,
): Promise<void> {
  await tx.query(
    `delete from personal_failures where integration_id = $1 and branch_key = $2 and (run_id, attempt) < ($3, $4)`,
    [integrationId, branchKey, runId, attempt],
  );
}

/**
 * Counts a mail in the hour of the person, and returns how many it has. Stops counting two above `most`, so that the first suppressed
 * mail can be told from later ones.
 */
export async function countMail(tx: Tx, userId: string, most: number): Promise<number> {
  const sent = await tx.value<number>(
    `update personal_notifications set
       sent_in_hour = case when hour_began_at < now() - interval '1 hour' then 1 else least(sent_in_hour + 1, $2 + 2) end,
       hour_began_at = case when hour_began_at < now() - interval '1 hour' then now() else hour_began_at end
     where user_id = $1 returning sent_in_hour as sent`,
    [userId, most],
  );
  return sent ?? most + 2;
}

/** Failures that nobody repaired. Returns the number of rows. */
export function deleteOldFailures(tx: Tx, integrationId: string, before: Date): Promise<number> {
  return tx.execute('delete from personal_failures where integration_id = $1 and at < $2', [
    integrationId,
    before,
  ]);
}
