import type { TaskState } from '#contract/integrations/tasks.ts';
import type { Tx } from '#platform/database/database.ts';
import type { PagePosition } from '#platform/http/page-cursor.ts';

export interface TaskRow {
  taskId: string;
  kind: string;
  subject: string | null;
  state: TaskState;
  requestedAt: Date;
  since: Date | null;
  nextAt: Date | null;
  failures: number;
  error: string | null;
  /** Microseconds since the epoch. */
  at_micros: string;
}

export interface TaskListFilter {
  kinds: readonly string[] | undefined;
  states: readonly string[] | undefined;
  after: PagePosition | undefined;
}

/** A fixed time for each place in the list: those that fail or wait longest come first, then those that are due next. */
const listedAt = `least(coalesce(t.failing_since, t.due_at, t.requested_at), '9000-01-01')`;

const isListed = `(s.state = any ($3) or t.failures > 0 and 'failing' = any ($3))`;

/** The tasks that have something to do. Needs the integration in scope. */
export function listTasks(
  tx: Tx,
  integrationId: string,
  { kinds, states, after }: TaskListFilter,
  limit: number,
): Promise<TaskRow[]> {
  return tx.rows<TaskRow>({
    name: 'list-tasks',
    text: `select t.task_id as "taskId", t.kind, coalesce(i.account_login, c.account_login, r.name, h.target, n.target) as subject, s.state,
             t.requested_at as "requestedAt",
             case when t.failures > 0 then coalesce(t.failing_since, t.requested_at)
               when s.state = 'waiting' then t.due_at end as since,
             case when s.state <> 'running' and isfinite(t.due_at) then t.due_at end as "nextAt", t.failures, t.error,
             (extract(epoch from ${listedAt}) * 1000000)::bigint::text as at_micros
           from tasks t cross join lateral (select task_state(t) as state) s
             left join forge_installations i on t.kind like 'forge-%' and t.key = i.installation_id::text
             left join forge_connections c on t.kind like 'forge-%' and t.key = 'token' and c.integration_id = t.integration_id
             left join webhook_subscriptions r on t.kind = 'outgoing-webhooks' and t.key = r.subscription_id::text and r.integration_id = t.integration_id
             left join notification_channels h on t.kind = 'outgoing-webhooks' and t.key = h.channel_id::text and h.integration_id = t.integration_id
             left join notifications n on n.integration_id = t.integration_id
               and n.notification_id = case when t.kind = 'notifications' then t.key::uuid end
           where t.integration_id = $1 and s.state is not null
             and ($2::text[] is null or t.kind = any ($2)) and ($3::text[] is null or ${isListed})
             and ($4::bigint is null
               or (${listedAt}, t.task_id) > (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::uuid))
           order by ${listedAt}, t.task_id limit $6`,
    values: [integrationId, kinds, states, after?.at, after?.id, limit],
  });
}

/** Makes tasks due that have no turn: the given ones, or those that fail. Needs the integration in scope. */
export function makeTasksDueNow(
  tx: Tx,
  integrationId: string,
  taskIds: readonly string[] | undefined,
): Promise<{ kind: string; key: string }[]> {
  return tx.rows(
    `update tasks t set due_at = now()
     where t.integration_id = $1 and task_state(t) in ('waiting', 'scheduled')
       and case when $2::uuid[] is null then t.failures > 0 else t.task_id = any ($2) end
     returning t.kind, t.key`,
    [integrationId, taskIds],
  );
}

export interface LockedTask {
  kind: string;
  key: string;
  state: TaskState | null;
}

/** Undefined when the integration in scope has no such task. No turn of it begins until the transaction ends. */
export function lockTask(tx: Tx, integrationId: string, taskId: string): Promise<LockedTask | undefined> {
  return tx.row<LockedTask>(
    `select t.kind, t.key, task_state(t) as state from tasks t where t.integration_id = $1 and t.task_id = $2 for update`,
    [integrationId, taskId],
  );
}

export async function deleteTask(tx: Tx, integrationId: string, taskId: string): Promise<void> {
  await tx.query('delete from tasks where integration_id = $1 and task_id = $2', [integrationId, taskId]);
}
