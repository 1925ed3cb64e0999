import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { evaluateWatches } from './evaluate-watches.ts';
import { claimWatches } from './watch-store.ts';

export interface WatchEvaluatorDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock'> {
  policy: Pick<AlertPolicy, 'watchEveryMs' | 'claimWatchesEveryMs'>;
}

/** Evaluates the rules that watch what did not happen: no webhook reports that. */
export function makeWatchEvaluator({ db, log, clock, policy }: WatchEvaluatorDeps): Service {
  return repeat(log, 'rules about what did not happen', policy.claimWatchesEveryMs, async (signal) => {
    for (const integrationId of await db.withScope('service', (tx) =>
      claimWatches(tx, policy.watchEveryMs),
    )) {
      if (signal.aborted) return;
      await db
        .withScope({ integrationId }, (tx) => evaluateWatches(tx, integrationId, clock()))
        .catch((error: unknown) =>
          log.warn({ err: error, integrationId }, 'rule evaluation failed, will retry'),
        );
    }
  });
}
