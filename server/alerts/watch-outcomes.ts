import { ruleConclusions } from '#contract/alerts.ts';
import type { WorkflowJob, WorkflowRun } from '#contract/monitoring.ts';
import { sentAhead, type Database, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { evaluateOutcomes } from './evaluate-outcomes.ts';
import { deleteOldHistory } from './incident-list-store.ts';
import { insertCandidates, listCandidateGroups, type Candidate } from './outcome-store.ts';
import type { AlertPolicy } from './policy.ts';
import { interestStatement } from './store.ts';

/** A run or job as it was just stored. */
export interface StoredObject {
  data: WorkflowRun | WorkflowJob;
}

export interface WatchDeps {
  db: Database;
  listener: Listener;
  log: Log;
  clock: Clock;
  policy: AlertPolicy;
}

export interface OutcomeWatch extends Service {
  /**
   * Part of the transaction that stores a batch: notes what ended in integrations that have rules. For all others it is
   * a look into memory.
   */
  note(tx: Tx, stored: readonly StoredObject[]): void;
  /** After the commit: what was noted is held against the rules, in transactions of its own. Never throws. */
  wake(stored: readonly StoredObject[]): void;
}

/** Holds runs and jobs against the rules. What a process that died has noted, another one finds. */
export function makeOutcomeWatch(deps: WatchDeps): OutcomeWatch {
  const { db, listener, log, policy } = deps;
  const interest = makeInterest(db, log);
  listener.on('alert_interest_changed', () => void interest.refresh());
  listener.onConnect(() => void interest.refresh());
  const running = new Map<string, Promise<void>>();

  const evaluate = (integrationId: string): Promise<void> => {
    const work = (running.get(integrationId) ?? Promise.resolve()).then(() =>
      evaluateAll(deps, integrationId).catch((error: unknown) =>
        log.warn({ err: error, integrationId }, 'runs and jobs could not be held against the rules'),
      ),
    );
    running.set(integrationId, work);
    return work.finally(() => {
      if (running.get(integrationId) === work) running.delete(integrationId);
    });
  };
  const sweep = repeat(log, 'alert candidates', policy.sweepEveryMs, async () => {
    await interest.refresh();
    const groups = await db.withScope('service', listCandidateGroups);
    await Promise.all(groups.map(evaluate));
  });
  const forget = repeat(log, 'old alerts', 3_600_000, () => forgetOld(deps, interest.ids()));

  return {
    name: 'alerts',
    note: (tx, stored) => {
      const candidates = stored.flatMap((object) => candidateOf(object, interest));
      if (candidates.length > 0) void sentAhead(insertCandidates(tx, candidates));
    },
    wake: (stored) => {
      const ids = new Set(
        stored.flatMap((object) => candidateOf(object, interest)).map((it) => it.integrationId),
      );
      for (const integrationId of ids) void evaluate(integrationId);
    },
    start: async () => {
      await interest.refresh();
      await sweep.start();
      await forget.start();
    },
    stop: async () => {
      await Promise.all([sweep.stop(), forget.stop()]);
      await Promise.all(running.values());
    },
  };
}

interface Interest {
  has(integrationId: string): boolean;
  ids(): readonly string[];
  refresh(): Promise<void>;
}

/** Which integrations have rules: known in memory, so that those without cost nothing; told by Postgres when it changes. */
function makeInterest(db: Database, log: Log): Interest {
  let known = new Set<string>();
  let newest = 0;
  return {
    has: (integrationId) => known.has(integrationId),
    ids: () => [...known],
    refresh: async () => {
      const mine = (newest += 1);
      try {
        const { rows } = await db.statement<{ group_id: string }>(interestStatement);
        if (mine === newest) known = new Set(rows.map((row) => row.group_id));
      } catch (error) {
        log.warn({ err: error }, 'it is not known which integrations have rules');
      }
    },
  };
}

const bad: ReadonlySet<string> = new Set(ruleConclusions);

function candidateOf({ data }: StoredObject, interest: Interest): Candidate[] {
  const { status, conclusion, integrationId, runId, attempt } = data;
  if (status !== 'completed' || conclusion === null || !interest.has(integrationId)) return [];
  const jobId = 'jobId' in data ? data.jobId : null;
  if (!bad.has(conclusion) && !(jobId === null && conclusion === 'success')) return [];
  return [{ integrationId, runId, attempt, jobId }];
}

async function evaluateAll(deps: WatchDeps, integrationId: string): Promise<void> {
  let limit = deps.policy.evaluateAtOnce;
  for (;;) {
    const size = limit;
    try {
      const taken = await deps.db.withScope({ integrationId }, (tx) =>
        evaluateOutcomes(tx, integrationId, deps.policy, deps.clock(), size),
      );
      if (taken < size) return;
    } catch (error) {
      if (isDatabaseAway(error) || size === 1) throw error;
      // One by one up to the culprit, which the next sweep meets again: no alert is lost without a word.
      limit = 1;
    }
  }
}

async function forgetOld({ db, clock, policy }: WatchDeps, integrationIds: readonly string[]): Promise<void> {
  const before = new Date(clock() - policy.keepDays * 86_400_000);
  for (const integrationId of integrationIds)
    await db.withScope({ integrationId }, (tx) => deleteOldHistory(tx, integrationId, before));
}
