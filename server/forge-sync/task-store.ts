import type { Tx } from '#platform/database/database.ts';
import { keyOfConnection, type ForgeTaskKind } from '#server/forge-tasks/task-kind.ts';
import type { Task } from '#server/tasks/task.ts';

/** Background work at the forge for a linked, or formerly linked, installation. */
export interface ForgeTask extends Pick<Task, 'integrationId' | 'key' | 'failures'> {
  kind: ForgeTaskKind;
  /** Null for the access token of the integration. */
  installationId: string | null;
  /** Login of the organization or person that installed the application, or whose token it is. */
  account: string;
  isLinked: boolean;
  /** The forge answers no calls for a suspended installation. */
  isSuspended: boolean;
  /** The application was uninstalled, or there is no token. */
  isGone: boolean;
  since: Date | null;
  startedAt: Date | null;
}

type Connection = Pick<ForgeTask, 'account' | 'isLinked' | 'isSuspended' | 'isGone'>;

/** A suspended application can return and remove its webhooks; an uninstalled one never can. */
export async function readConnection(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
): Promise<Connection> {
  const row = await tx.row<Connection>({
    name: 'read-connection-of-task',
    text: `select coalesce(i.account_login, c.account_login, '') as account,
             case when $2::bigint is null then c.is_removed is false else exists (
               select from installation_links where integration_id = $1 and installation_id = $2) end as "isLinked",
             coalesce(i.is_suspended, false) as "isSuspended", coalesce(i.is_deleted, c.integration_id is null) as "isGone"
           from (select) one
             left join forge_installations i on i.installation_id = $2
             left join forge_connections c on $2 is null and c.integration_id = $1`,
    values: [integrationId, installationId],
  });
  return row!;
}

/** False when the task was requested during its turn. Needs the integration in scope. */
export function deleteUnchangedTask(tx: Tx, { integrationId, kind, key }: ForgeTask): Promise<boolean> {
  return tx.some(
    `delete from tasks where integration_id = $1 and kind = $2 and key = $3 and due_at is not distinct from leased_until`,
    [integrationId, kind, key],
  );
}

/** Requests the history from the newest run back to `since`. */
export async function requestHistory(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
  since: Date,
): Promise<void> {
  await tx.query(
    `insert into tasks (integration_id, kind, key, due_at, facts)
     values ($1, 'forge-history', $2, now(), jsonb_build_object('since', $3::text))
     on conflict (integration_id, kind, key) do update
       set due_at = now(), requested_at = now(), facts = excluded.facts, failures = 0, failing_since = null,
         error = null`,
    [integrationId, keyOfConnection(installationId), since.toISOString()],
  );
}

/** False when no history is being read. */
export function stopHistory(tx: Tx, integrationId: string, installationId: string | null): Promise<boolean> {
  return tx.some(
    `update tasks set due_at = null, facts = facts || jsonb_build_object('finishedAt', $3::text), error = null
     where integration_id = $1 and kind = 'forge-history' and key = $2 and not facts ? 'finishedAt'`,
    [integrationId, keyOfConnection(installationId), new Date().toISOString()],
  );
}

/** Whether the integration has the installation linked. */
export function isLinked(tx: Tx, integrationId: string, installationId: string): Promise<boolean> {
  return tx.some('select from installation_links where integration_id = $1 and installation_id = $2', [
    integrationId,
    installationId,
  ]);
}

/** Whether the integration has an access token for a forge. */
export function hasToken(tx: Tx, integrationId: string): Promise<boolean> {
  return tx.some('select from forge_connections where integration_id = $1 and not is_removed', [
    integrationId,
  ]);
}
