import { isDecided, isRuleConclusion } from '#contract/runs/conclusions.ts';
import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import { sentAhead, type Database, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { Service } from '#platform/runtime/service.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { evaluateRules } from './evaluate-rules.ts';
import {
  evaluationTask,
  insertPendingEvaluations,
  readShortestWaitMs,
  type PendingEvaluation,
} from './completion-store.ts';
import { closeEndedBranches } from '#server/alerts/branches/close-ended-branches.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { integrationsWithRulesStatement } from '#server/alerts/rules/rule-store.ts';
import type { Task, TaskKind, Turn, TurnEnd } from '#server/tasks/task.ts';

/** A run or job of an event that was just stored. */
export type StoredObject = Pick<
  WorkflowRun,
  'integrationId' | 'runId' | 'attempt' | 'status' | 'conclusion'
> &
  Partial<Pick<WorkflowJob, 'jobId'> & Pick<WorkflowRun, 'supersededBy'>> & { onDefaultBranch: boolean };

export interface ReceivedObject<T extends StoredObject = StoredObject> {
  object: T;
  /** The message in the queue; empty when there is none. */
  messageId: string;
  /** When the webhook was received; null for a replay and for data that came without a webhook. */
  receivedAt: number | null;
}

export interface RuleEvaluatorDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock' | 'listener'> {
  policy: AlertPolicy;
}

export interface RuleEvaluator extends Service {
  kind: TaskKind;
  /**
   * Runs in the transaction that stores a batch. Stores pending evaluations and requests their task. For integrations without rules
   * only runs of default branches are stored. A successful job is stored only if this process knows a rule of its integration:
   * without a rule no incident counts jobs.
   */
  enqueue(tx: Tx, stored: readonly ReceivedObject[]): void;
}

/** Turns that use the database alone. There are few places, so that batches find free connections. */
export const evaluationTurns = {
  quickPlaces: 2,
  slowPlaces: 2,
  perIntegration: 1,
  longestMs: minuteMs,
  givesWay: false,
  planRetry: () => ({ waitMs: 2_000, error: 'The rules could not be evaluated. They are evaluated again.' }),
};

/** Evaluates rules in transactions of their own. If a process dies, another one evaluates what it has stored. */
export function makeRuleEvaluator(deps: RuleEvaluatorDeps): RuleEvaluator {
  const { db, listener, log } = deps;
  const withRules = makeIntegrationsWithRules(db, log);
  listener.on('integrations_with_rules_changed', () => void withRules.refresh());
  listener.onConnect(() => void withRules.refresh());

  return {
    name: 'rule evaluator',
    kind: { name: evaluationTask, ...evaluationTurns, handle: (task, turn) => evaluate(deps, task, turn) },
    enqueue: (tx, stored) => {
      const pending = [
        ...stored.flatMap(pendingEvaluationOf),
        ...stored.filter(({ object }) => withRules.has(object.integrationId)).flatMap(pendingJobSuccessOf),
      ];
      if (pending.length > 0) void sentAhead(insertPendingEvaluations(tx, pending));
    },
    start: () => withRules.refresh(),
    stop: async () => {},
  };
}

interface IntegrationsWithRules {
  has(integrationId: string): boolean;
  refresh(): Promise<void>;
}

/** The integrations with rules, as far as this process knows. Successful jobs of others are not looked at. */
function makeIntegrationsWithRules(db: Database, log: Log): IntegrationsWithRules {
  let known = new Set<string>();
  let newest = 0;
  return {
    has: (integrationId) => known.has(integrationId),
    refresh: async () => {
      const mine = (newest += 1);
      try {
        const { rows } = await db.statement<{ group_id: string }>(integrationsWithRulesStatement);
        if (mine === newest) known = new Set(rows.map((row) => row.group_id));
      } catch (error) {
        log.warn({ err: error }, 'integrations with rules not loaded');
      }
    },
  };
}

function needsEvaluation({ status, conclusion, jobId }: StoredObject): boolean {
  if (status !== 'completed' || conclusion === null) return false;
  return isRuleConclusion(conclusion) || (jobId === undefined && conclusion === 'success');
}

function pendingEvaluationOf(received: ReceivedObject): PendingEvaluation[] {
  return needsEvaluation(received.object) ? [toPendingEvaluation(received)] : [];
}

/** A successful job counts only when its run is unknown. */
function pendingJobSuccessOf(received: ReceivedObject): PendingEvaluation[] {
  const { status, conclusion, jobId } = received.object;
  const isGreen = status === 'completed' && conclusion === 'success' && jobId !== undefined;
  return isGreen ? [toPendingEvaluation(received)] : [];
}

function toPendingEvaluation({ object, messageId, receivedAt }: ReceivedObject): PendingEvaluation {
  const { integrationId, runId, attempt, jobId = null, conclusion, onDefaultBranch } = object;
  const { supersededBy = null } = object;
  const isGreen = conclusion === 'success';
  const isOfDefaultBranch =
    jobId === null && onDefaultBranch && (isDecided(conclusion) || supersededBy !== null);
  // A message from an Amazon SQS event source has no row in the delivery log.
  const deliverySeq = /^\d{1,18}$/.test(messageId) ? messageId : null;
  return { integrationId, runId, attempt, jobId, isGreen, isOfDefaultBranch, deliverySeq, receivedAt };
}

/** Evaluates what waits, and looks again while some of it must wait for more events. */
async function evaluate(deps: RuleEvaluatorDeps, { integrationId }: Task, turn: Turn): Promise<TurnEnd> {
  const { db, policy } = deps;
  const isDone =
    (await evaluateAll(deps, integrationId, turn)) && (await endBranches(deps, integrationId, turn));
  if (!isDone) return { again: 0 };
  const waitedMs = await db.withScope({ integrationId }, (tx) => readShortestWaitMs(tx, integrationId));
  if (waitedMs === null) return 'done';
  // Most waits last seconds, some hours. Whatever ends a long one early is noticed a little later.
  return { again: Math.min(minuteMs, Math.max(policy.evaluateAgainMs, waitedMs / 10)) };
}

/** False when the turn should end before all is done. */
async function endBranches(
  { db, policy }: RuleEvaluatorDeps,
  integrationId: string,
  turn: Turn,
): Promise<boolean> {
  const limit = policy.evaluateAtOnce;
  const end = (): Promise<number> =>
    db.withScope({ integrationId }, (tx) => closeEndedBranches(tx, integrationId, limit));
  while ((await end()) === limit) if (turn.isLong()) return false;
  return true;
}

/** False when the turn should end before all is done. */
async function evaluateAll(
  { db, clock, log, policy }: RuleEvaluatorDeps,
  integrationId: string,
  turn: Turn,
): Promise<boolean> {
  // A completion that always fails is dropped without a retry: it must not block those behind it.
  const onFault = (error: unknown): void =>
    log.warn({ err: error, integrationId }, 'rule evaluation of one completion failed');
  for (let size = policy.evaluateAtOnce; ;) {
    const limit = size;
    try {
      const count = await db.withScope({ integrationId }, (tx) =>
        evaluateRules(tx, integrationId, policy, clock(), limit, limit === 1 ? onFault : undefined),
      );
      if (count < limit) return true;
      if (turn.isLong()) return false;
    } catch (error) {
      if (limit === 1 || isDatabaseAway(error)) throw error;
      size = 1;
    }
  }
}
