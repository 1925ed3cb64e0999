import type { TaskKindName } from '#contract/integrations/tasks.ts';
import type { Tx } from '#platform/database/database.ts';
import { requestsOf } from '#server/tasks/request-tasks.ts';

/** The kind of the tasks that mail people about a run. */
export const personalTask = 'personal-notifications' satisfies TaskKindName;

/** A completed run. */
export interface CompletedRun {
  integrationId: string;
  runId: number;
  attempt: number;
  /** Who started the attempt. */
  actor: string | null;
  isGreen: boolean;
}

/**
 * Requests a task for failed runs whose actor wants mails, and successful ones of integrations in which somebody waits for a recovery. Whether the
 * person is a member is checked later.
 */
export async function requestNotifications(tx: Tx, runs: readonly CompletedRun[]): Promise<void> {
  await tx.query({
    name: 'request-personal-notifications',
    text: requestsOf(
      `select distinct integration_id, '${personalTask}', key, now()
       from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) as c (integration_id, key, actor, is_green)
       where is_green and exists (select from personal_failures f where f.integration_id = c.integration_id)
         or not is_green and exists (
           select from users u join personal_notifications p on p.user_id = u.user_id and p.enabled
           where lower(u.forge_login) = lower(c.actor))`,
    ),
    values: [
      runs.map(({ integrationId }) => integrationId),
      runs.map(keyOfRun),
      runs.map(({ actor }) => actor),
      runs.map(({ isGreen }) => isGreen),
    ],
  });
}

export interface PendingRun {
  integrationId: string;
  runId: number;
  attempt: number;
}

function keyOfRun({ runId, attempt }: Pick<PendingRun, 'runId' | 'attempt'>): string {
  return `${runId}/${attempt}`;
}

export function runOfKey(integrationId: string, key: string): PendingRun {
  const [runId, attempt] = key.split('/').map(Number);
  return { integrationId, runId: runId!, attempt: attempt! };
}
