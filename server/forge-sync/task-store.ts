import type { Tx } from '#platform/database/database.ts';
import type { ForgeTaskKind } from '#server/forge-tasks/task-kind.ts';

/** Background work at the forge for a linked, or formerly linked, installation. A row of `forge_tasks`. */
export interface ForgeTask {
  kind: ForgeTaskKind;
  integrationId: string;
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
  failures: number;
}

/** Leases the task of these kinds that has been due longest. One whose last try failed must be of `failingKinds` too. */
export function leaseTask(
  tx: Tx,
  kinds: readonly ForgeTaskKind[],
  failingKinds: readonly ForgeTaskKind[],
  leaseMs: number,
): Promise<ForgeTask | undefined> {
  return tx.row<ForgeTask>({
    name: 'lease-forge-task',
    text: `select kind, integration_id as "integrationId", installation_id::text as "installationId", account_login as account,
             is_linked as "isLinked", is_suspended as "isSuspended", is_gone as "isGone", since, started_at as "startedAt", failures
           from lease_forge_task($1, $2, $3)`,
    values: [kinds, failingKinds, leaseMs],
  });
}

const thisTask = 'integration_id = $1 and installation_id is not distinct from $2 and kind = $3';
const keyOf = ({ integrationId, installationId, kind }: ForgeTask) => [integrationId, installationId, kind];

/** False when the task was requested or stopped while it ran (this changes `due_at`): its result is then outdated. */
const isUnchanged = 'due_at = leased_until';

/** Schedules the next run in `nextMs`, or never. A request during the run takes precedence. */
export async function finishTask(tx: Tx, task: ForgeTask, nextMs: number | undefined): Promise<void> {
  await tx.query(
    `update forge_tasks set leased_until = null, failures = 0, error = null,
       due_at = case when ${isUnchanged} then now() + make_interval(secs => $4 / 1000.0) else due_at end
     where ${thisTask}`,
    [...keyOf(task), nextMs ?? null],
  );
}

/** Schedules the next run after a failure. */
export async function rescheduleTask(tx: Tx, task: ForgeTask, waitMs: number, text: string): Promise<void> {
  await tx.query(
    `update forge_tasks set leased_until = null,
       failures = case when ${isUnchanged} then failures + 1 else failures end,
       error = case when ${isUnchanged} then $5 else error end,
       due_at = case when ${isUnchanged} then now() + make_interval(secs => $4 / 1000.0) else due_at end
     where ${thisTask}`,
    [...keyOf(task), waitMs, text],
  );
}

export async function extendLease(tx: Tx, task: ForgeTask, leaseMs: number): Promise<void> {
  await tx.query(
    `update forge_tasks set leased_until = now() + make_interval(secs => $4 / 1000.0),
       due_at = case when ${isUnchanged} then now() + make_interval(secs => $4 / 1000.0) else due_at end
     where ${thisTask}`,
    [...keyOf(task), leaseMs],
  );
}

/** Does nothing if the task was requested while it ran. */
export async function deleteTask(tx: Tx, task: ForgeTask): Promise<void> {
  await tx.query(`delete from forge_tasks where ${thisTask} and ${isUnchanged}`, keyOf(task));
}

/** Requests the history from the newest run back to `since`. */
export async function requestHistory(
  tx: Tx,
  integrationId: string,
  installationId: string | null,
  since: Date,
): Promise<void> {
  await tx.query(
    `insert into forge_tasks (integration_id, installation_id, kind, due_at, since)
     values ($1, $2, 'history', now(), $3)
     on conflict (integration_id, installation_id, kind) do update
       set due_at = now(), since = $3, started_at = null, finished_at = null, failures = 0, error = null`,
    [integrationId, installationId, since],
  );
}

/** False when no history is being read. */
export function stopHistory(tx: Tx, integrationId: string, installationId: string | null): Promise<boolean> {
  return tx.some(
    `update forge_tasks set due_at = null, finished_at = now(), error = null
     where integration_id = $1 and installation_id is not distinct from $2 and kind = 'history' and finished_at is null`,
    [integrationId, installationId],
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
