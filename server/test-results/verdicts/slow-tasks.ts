import type { TaskKindName } from '#contract/integrations/tasks.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { dayMs, hourMs, minuteMs } from '#platform/runtime/time-units.ts';
import { requestTasks } from '#server/tasks/request-tasks.ts';
import { onlyKey, type TaskKind } from '#server/tasks/task.ts';
import { slowTests, type DayMeans } from './slow.ts';
import { listBlocks, listDayMeans, saveSlowTests } from './slow-store.ts';

const slowTask = 'test-durations' satisfies TaskKindName;

/** Whole days are compared, so an answer lasts for hours. */
const waitMs = 6 * hourMs;

/** A report of an older run tells about whole days. It is one of many that somebody uploads at once. */
const ofPastMs = 2 * dayMs;
const soonMs = 15_000;

/**
 * A report of the default branch lets the durations of its tests be compared in some hours. Reports of the past are compared as soon as no
 * further one comes.
 */
export function requestComparison(tx: Tx, integrationId: string, at: Date): Promise<void> {
  const isOfPast = at.getTime() < Date.now() - ofPastMs;
  const [onConflict, inMs] = isOfPast ? (['restart', soonMs] as const) : (['scheduled', waitMs] as const);
  return requestTasks(tx, { integrationId, kind: slowTask }, [onlyKey], onConflict, inMs);
}

/** Finds tests that became slower. */
export function slowTasks({ db }: { db: Database }): TaskKind {
  return {
    name: slowTask,
    quickPlaces: 1,
    slowPlaces: 1,
    perIntegration: 1,
    longestMs: 5 * minuteMs,
    givesWay: true,
    handle: async ({ integrationId }, { signal }) => {
      const scope = { integrationId };
      const tests: DayMeans[] = [];
      for (const block of await db.withScope(scope, (tx) => listBlocks(tx, integrationId))) {
        signal.throwIfAborted();
        for (const each of await db.withScope(scope, (tx) => listDayMeans(tx, integrationId, block)))
          tests.push(each);
      }
      await db.withScope(scope, (tx) => saveSlowTests(tx, integrationId, slowTests(tests)));
      return 'done';
    },
    planRetry: () => ({ waitMs: minuteMs, error: 'The durations of tests could not be compared.' }),
  };
}
