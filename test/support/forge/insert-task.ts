import type { ForgeTaskKind } from '#server/forge-tasks/task-kind.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** A task of the forge that is never due. */
export async function insertIdleTask(
  { asOwner }: TestDatabase,
  integrationId: string,
  installationId: string | number,
  kind: ForgeTaskKind,
): Promise<void> {
  await asOwner(
    `insert into tasks (integration_id, kind, key, facts, due_at)
     values ($1, $3, $2, jsonb_build_object('since', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), 'infinity')`,
    [integrationId, String(installationId), kind],
  );
}

interface InsertedTask {
  kind: string;
  key: string;
  /** Milliseconds from now. */
  dueInMs?: number;
  leasedForMs?: number;
  failures?: number;
  failingForMs?: number;
  error?: string;
}

/** A task as a process left it. Returns its id. */
export async function insertTask(
  { asOwner }: Pick<TestDatabase, 'asOwner'>,
  integrationId: string,
  { kind, key, dueInMs = 0, leasedForMs, failures = 0, failingForMs, error }: InsertedTask,
): Promise<string> {
  const [row] = await asOwner<{ task_id: string }>(
    `insert into tasks (integration_id, kind, key, due_at, leased_until, failures, failing_since, error)
     values ($1, $2, $3, now() + $4 * interval '1 ms', now() + $5 * interval '1 ms', $6, now() - $7 * interval '1 ms', $8)
     returning task_id`,
    [integrationId, kind, key, dueInMs, leasedForMs, failures, failingForMs, error],
  );
  return row!.task_id;
}
