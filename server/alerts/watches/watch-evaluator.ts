import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { evaluationTurns } from '#server/alerts/evaluation/rule-evaluator.ts';
import { watchTask } from '#server/alerts/rules/rule-store.ts';
import type { TaskKind } from '#server/tasks/task.ts';
import { evaluateWatches } from './evaluate-watches.ts';

/** Evaluates the rules that watch what did not happen: no webhook reports that. A change of a rule or of an incident starts it. */
export function watchTasks({ db, clock }: Pick<SharedDeps, 'db' | 'clock'>): TaskKind {
  return {
    name: watchTask,
    ...evaluationTurns,
    handle: async ({ integrationId }) =>
      (await db.withScope({ integrationId }, (tx) => evaluateWatches(tx, integrationId, clock())))
        ? { again: alertPolicy.watchEveryMs }
        : 'done',
  };
}
