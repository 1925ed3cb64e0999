import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { evaluationTurns } from '#server/alerts/evaluation/rule-evaluator.ts';
import { insertNotifications } from '#server/alerts/notifications/notification-store.ts';
import { digestTask, listRules } from '#server/alerts/rules/rule-store.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import type { TaskKind, TurnEnd } from '#server/tasks/task.ts';
import { digestSlots } from './digest-slot.ts';
import { hasDigestSince } from './digest-store.ts';
import { readDigest } from './read-digest.ts';

/** A digest that was due longer ago, because no worker ran, is left out. */
const longestLateMs = 2 * dayMs;

/** Another day or hour in the rule sends no second digest in a week. */
const leastApartMs = 6 * dayMs;

/** Sends weekly digests. Each rule has a task, which a change of the rule restarts. */
export function digestTasks({ db, clock }: Pick<SharedDeps, 'db' | 'clock'>): TaskKind {
  const cache = new DashboardCache();
  return {
    name: digestTask,
    ...evaluationTurns,
    handle: ({ integrationId, key }) =>
      db.withScope({ integrationId }, (tx) => sendIfDue(tx, integrationId, key, clock(), cache)),
    planRetry: () => ({ waitMs: 60_000, error: 'The digest could not be prepared. It is tried again.' }),
  };
}

async function sendIfDue(
  tx: Tx,
  integrationId: string,
  ruleId: string,
  now: number,
  cache: DashboardCache,
): Promise<TurnEnd> {
  const [rule] = await listRules(tx, integrationId, ruleId);
  if (rule?.enabled !== true || rule.definition.watch !== 'weekly_digest') return 'done';
  const { last, next } = digestSlots(rule.definition, now);
  const isDue = last > rule.updated_at.getTime() && now - last < longestLateMs;
  if (isDue && !(await hasDigestSince(tx, integrationId, ruleId, last - leastApartMs))) {
    const digest = await readDigest(tx, integrationId, rule.definition, last, cache);
    if (digest !== undefined) {
      const about = { incidentId: null, branchKey: null, failure: null, kind: 'digest' as const };
      await insertNotifications(
        tx,
        integrationId,
        { ...about, ruleId, failureAt: new Date(last), digest },
        0,
      );
    }
  }
  return { again: next - now };
}
