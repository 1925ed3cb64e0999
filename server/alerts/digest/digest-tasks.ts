import { digestDays, type RuleBody } from '#contract/alerts/alerts.ts';
import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { evaluationTurns } from '#server/alerts/evaluation/rule-evaluator.ts';
import { insertNotifications } from '#server/alerts/notifications/notification-store.ts';
import { digestTask, listRules } from '#server/alerts/rules/rule-store.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import type { TaskKind, TurnEnd } from '#server/tasks/task.ts';
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

type Slot = Pick<RuleBody, 'digestDay' | 'digestHour' | 'timeZone'>;

/**
 * The last time at or before `now` at which a digest is due, and the next one, in milliseconds since the epoch. An hour that the clock
 * skips is the one after it.
 */
export function digestSlots(
  { digestDay, digestHour, timeZone }: Slot,
  now: number,
): { last: number; next: number } {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const daysAgo = (local.dayOfWeek - 1 - digestDays.indexOf(digestDay) + 7) % 7;
  const day = local.toPlainDate().subtract({ days: daysAgo });
  const at = (weeks: number): number =>
    day.add({ days: weeks * 7 }).toZonedDateTime({ timeZone, plainTime: { hour: digestHour } })
      .epochMilliseconds;
  return at(0) <= now ? { last: at(0), next: at(1) } : { last: at(-1), next: at(0) };
}
