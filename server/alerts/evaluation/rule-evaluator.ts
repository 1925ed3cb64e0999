import { ruleConclusions } from '#contract/alerts.ts';
import type { WorkflowJob, WorkflowRun } from '#contract/monitoring.ts';
import { sentAhead, type Database, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { evaluateOutcomes } from './evaluate-rules.ts';
import { insertCandidates, listCandidateGroups, type Candidate } from './completion-store.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { interestStatement } from '#server/alerts/rules/rule-store.ts';

/** A run or job of an event that was just stored. */
export type StoredObject = Pick<
  WorkflowRun,
  'integrationId' | 'runId' | 'attempt' | 'status' | 'conclusion'
> &
  Partial<Pick<WorkflowJob, 'jobId'>>;

/** What an event told of, and how it came. */
export interface Completed<T extends StoredObject = StoredObject> {
  object: T;
  /** Of the message in the queue; empty without one. */
  messageId: string;
  /** When its webhook was received; null when there was none, or somebody replayed it. */
  receivedAt: number | null;
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
   * Part of the transaction that stores a batch: notes what ended in integrations that have rules. Of jobs that succeeded
   * as far as this process has heard of rules: before there is one, there is nothing that they could end.
   */
  note(tx: Tx, stored: readonly Completed[]): void;
  /** After the commit: what was noted is held against the rules, in transactions of its own. Never throws. */
  wake(stored: readonly StoredObject[]): void;
}

/** Holds runs and jobs against the rules. What a process that died has noted, another one finds. */
export function makeOutcomeWatch(deps: WatchDeps): OutcomeWatch {
  const { db, listener, log, policy } = deps;
  const interest = makeInterest(db, log);
  listener.on('alert_interest_changed', () => void interest.refresh());
  listener.onConnect(() => void interest.refresh());
  const evaluate = makeEvaluator(deps);
  const sweep = repeat(log, 'alert candidates', policy.sweepEveryMs, async () => {
    await interest.refresh();
    const groups = await db.withScope('service', listCandidateGroups);
    await Promise.all(groups.map(evaluate.all));
  });

  return {
    name: 'alerts',
    note: (tx, stored) => {
      const candidates = [
        ...stored.flatMap(candidateOf),
        ...stored.filter(({ object }) => interest.has(object.integrationId)).flatMap(greenJobOf),
      ];
      if (candidates.length > 0) void sentAhead(insertCandidates(tx, candidates));
    },
    wake: (stored) => {
      // Behind a later attempt there may be one that ended in the same batch.
      const isOf = (object: StoredObject): boolean =>
        interest.has(object.integrationId) && (object.attempt > 1 || isCandidate(object));
      const ids = stored.filter(isOf).map(({ integrationId }) => integrationId);
      for (const integrationId of new Set(ids)) void evaluate.all(integrationId);
    },
    start: async () => {
      await interest.refresh();
      await sweep.start();
    },
    stop: async () => {
      await sweep.stop();
      await evaluate.settled();
    },
  };
}

interface Interest {
  has(integrationId: string): boolean;
  refresh(): Promise<void>;
}

/**
 * Which integrations have rules, as far as this process has heard: they are evaluated at once, one that it has not heard
 * of yet with the next sweep.
 */
function makeInterest(db: Database, log: Log): Interest {
  let known = new Set<string>();
  let newest = 0;
  return {
    has: (integrationId) => known.has(integrationId),
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

function isCandidate({ status, conclusion, jobId }: StoredObject): boolean {
  if (status !== 'completed' || conclusion === null) return false;
  return bad.has(conclusion) || (jobId === undefined && conclusion === 'success');
}

function candidateOf(completed: Completed): Candidate[] {
  return isCandidate(completed.object) ? [toCandidate(completed)] : [];
}

/** What only counts when its run is not known: found by a sweep, as it waits for that anyway. */
function greenJobOf(completed: Completed): Candidate[] {
  const { status, conclusion, jobId } = completed.object;
  const isGreen = status === 'completed' && conclusion === 'success' && jobId !== undefined;
  return isGreen ? [toCandidate(completed)] : [];
}

function toCandidate({ object, messageId, receivedAt }: Completed): Candidate {
  const { integrationId, runId, attempt, jobId = null, conclusion } = object;
  const isGreen = conclusion === 'success';
  // What an event source of Amazon SQS hands over lies in no log: there is no delivery to look up.
  const deliverySeq = /^\d{1,18}$/.test(messageId) ? messageId : null;
  return { integrationId, runId, attempt, jobId, isGreen, deliverySeq, receivedAt };
}

interface Evaluator {
  /** Resolves when everything noted before the call was held against the rules, or could not be; never rejects. */
  all(integrationId: string): Promise<void>;
  settled(): Promise<unknown>;
}

/**
 * An integration is always evaluated in the same lane, so never twice at once in this process; few lanes, so that batches
 * find connections. Calls that come before their turn share it.
 */
function makeEvaluator(deps: WatchDeps): Evaluator {
  const lanes = Array.from({ length: deps.policy.evaluationLanes }, () => Promise.resolve());
  const waiting = new Map<string, Promise<void>>();
  return {
    all: (integrationId) => {
      const known = waiting.get(integrationId);
      if (known !== undefined) return known;
      const lane = Number.parseInt(integrationId.slice(0, 4), 16) % lanes.length;
      const turn = (lanes[lane] ?? Promise.resolve()).then(async () => {
        waiting.delete(integrationId);
        await evaluateAll(deps, integrationId).catch((error: unknown) =>
          deps.log.warn({ err: error, integrationId }, 'what ended could not be held against the rules yet'),
        );
      });
      lanes[lane] = turn;
      waiting.set(integrationId, turn);
      return turn;
    },
    settled: () => Promise.all(lanes),
  };
}

async function evaluateAll(deps: WatchDeps, integrationId: string): Promise<void> {
  const { db, clock, log, policy } = deps;
  // One that can never be evaluated must not hold up those behind it; nothing is retried (specification 6.3).
  const onFault = (error: unknown): void =>
    log.warn({ err: error, integrationId }, 'a run or job could not be held against the rules');
  for (let size = policy.evaluateAtOnce; ;) {
    const limit = size;
    try {
      const taken = await db.withScope({ integrationId }, (tx) =>
        evaluateOutcomes(tx, integrationId, policy, clock(), limit, limit === 1 ? onFault : undefined),
      );
      if (taken < limit) return;
    } catch (error) {
      if (limit === 1 || isDatabaseAway(error)) throw error;
      size = 1;
    }
  }
}
