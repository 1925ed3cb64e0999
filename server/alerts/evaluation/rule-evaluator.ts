import { isRuleConclusion } from '#contract/runs/conclusions.ts';
import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import { sentAhead, type Database, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { evaluateRules } from './evaluate-rules.ts';
import {
  anyPending,
  insertPendingEvaluations,
  listPendingIntegrations,
  type PendingEvaluation,
} from './completion-store.ts';
import { closeEndedBranches } from '#server/alerts/branches/close-ended-branches.ts';
import {
  insertBranchEnds,
  listIntegrationsWithBranchEnds,
} from '#server/alerts/branches/branch-end-store.ts';
import type { PullRequestId } from '#server/alerts/branches/pull-request-id.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { integrationsWithRulesStatement } from '#server/alerts/rules/rule-store.ts';

/** A run or job of an event that was just stored. */
export type StoredObject = Pick<
  WorkflowRun,
  'integrationId' | 'runId' | 'attempt' | 'status' | 'conclusion'
> &
  Partial<Pick<WorkflowJob, 'jobId'>>;

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
  /**
   * Runs in the transaction that stores a batch and stores pending evaluations, only for integrations with rules.
   * A successful job is stored only if this process knows a rule of its integration: without a rule no incident is open.
   */
  enqueue(tx: Tx, stored: readonly ReceivedObject[]): void;
  /** The same for closed pull requests, whose incidents the next sweep closes. */
  enqueueBranchEnds(tx: Tx, closed: readonly PullRequestId[]): void;
  /** Call it after the commit. Evaluates the pending completions in separate transactions. Never throws. */
  wake(stored: readonly StoredObject[]): void;
}

/** Evaluates rules. If a process dies, another one evaluates what it has stored. */
export function makeRuleEvaluator(deps: RuleEvaluatorDeps): RuleEvaluator {
  const { db, listener, log, policy } = deps;
  const withRules = makeIntegrationsWithRules(db, log);
  listener.on('integrations_with_rules_changed', () => void withRules.refresh());
  listener.onConnect(() => void withRules.refresh());
  const lanes = makeEvaluationLanes(deps);
  const sweep = repeat(log, 'pending rule evaluations', policy.sweepEveryMs, async () => {
    if (!(await db.hasRow(anyPending))) return;
    await withRules.refresh();
    const integrationIds = await db.withScope('service', listPendingIntegrations);
    await Promise.all(integrationIds.map(lanes.evaluate));
    for (const integrationId of await db.withScope('service', listIntegrationsWithBranchEnds))
      await endBranches(deps, integrationId);
  });

  return {
    name: 'rule evaluator',
    enqueue: (tx, stored) => {
      const pending = [
        ...stored.flatMap(pendingEvaluationOf),
        ...stored.filter(({ object }) => withRules.has(object.integrationId)).flatMap(pendingJobSuccessOf),
      ];
      if (pending.length > 0) void sentAhead(insertPendingEvaluations(tx, pending));
    },
    enqueueBranchEnds: (tx, closed) => {
      if (closed.length > 0) void sentAhead(insertBranchEnds(tx, closed));
    },
    wake: (stored) => {
      // An earlier attempt may have completed in the same batch as a later one that only started.
      const isPending = (object: StoredObject): boolean =>
        withRules.has(object.integrationId) && (object.attempt > 1 || needsEvaluation(object));
      const ids = stored.filter(isPending).map(({ integrationId }) => integrationId);
      for (const integrationId of new Set(ids)) void lanes.evaluate(integrationId);
    },
    start: async () => {
      await withRules.refresh();
      await sweep.start();
    },
    stop: async () => {
      await sweep.stop();
      await lanes.settled();
    },
  };
}

interface IntegrationsWithRules {
  has(integrationId: string): boolean;
  refresh(): Promise<void>;
}

/**
 * The integrations with rules, as far as this process knows. These are evaluated immediately; an integration that this
 * process does not know yet is evaluated by the next sweep.
 */
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

/** A successful job counts only when its run is unknown. It waits for the run anyway, so only the sweep evaluates it. */
function pendingJobSuccessOf(received: ReceivedObject): PendingEvaluation[] {
  const { status, conclusion, jobId } = received.object;
  const isGreen = status === 'completed' && conclusion === 'success' && jobId !== undefined;
  return isGreen ? [toPendingEvaluation(received)] : [];
}

function toPendingEvaluation({ object, messageId, receivedAt }: ReceivedObject): PendingEvaluation {
  const { integrationId, runId, attempt, jobId = null, conclusion } = object;
  const isGreen = conclusion === 'success';
  // A message from an Amazon SQS event source has no row in the delivery log.
  const deliverySeq = /^\d{1,18}$/.test(messageId) ? messageId : null;
  return { integrationId, runId, attempt, jobId, isGreen, deliverySeq, receivedAt };
}

interface EvaluationLanes {
  /** Resolves when everything that was stored before the call is evaluated or has failed; never rejects. */
  evaluate(integrationId: string): Promise<void>;
  settled(): Promise<unknown>;
}

/**
 * An integration always uses the same lane, so this process never evaluates it twice at once. There are few lanes, so that
 * batches find free connections. Calls that wait for the same evaluation share it.
 */
function makeEvaluationLanes(deps: RuleEvaluatorDeps): EvaluationLanes {
  const lanes = Array.from({ length: deps.policy.evaluationLanes }, () => Promise.resolve());
  const waiting = new Map<string, Promise<void>>();
  return {
    evaluate: (integrationId) => {
      const known = waiting.get(integrationId);
      if (known !== undefined) return known;
      const lane = Number.parseInt(integrationId.slice(0, 4), 16) % lanes.length;
      const evaluation = (lanes[lane] ?? Promise.resolve()).then(async () => {
        waiting.delete(integrationId);
        await evaluateAll(deps, integrationId).catch((error: unknown) =>
          deps.log.warn({ err: error, integrationId }, 'rule evaluation failed, will retry'),
        );
      });
      lanes[lane] = evaluation;
      waiting.set(integrationId, evaluation);
      return evaluation;
    },
    settled: () => Promise.all(lanes),
  };
}

async function endBranches({ db, policy }: RuleEvaluatorDeps, integrationId: string): Promise<void> {
  const limit = policy.evaluateAtOnce;
  const end = (): Promise<number> =>
    db.withScope({ integrationId }, (tx) => closeEndedBranches(tx, integrationId, limit));
  while ((await end()) === limit);
}

async function evaluateAll(deps: RuleEvaluatorDeps, integrationId: string): Promise<void> {
  const { db, clock, log, policy } = deps;
  // A completion that always fails is dropped without a retry: it must not block those behind it.
  const onFault = (error: unknown): void =>
    log.warn({ err: error, integrationId }, 'rule evaluation of one completion failed');
  for (let size = policy.evaluateAtOnce; ;) {
    const limit = size;
    try {
      const count = await db.withScope({ integrationId }, (tx) =>
        evaluateRules(tx, integrationId, policy, clock(), limit, limit === 1 ? onFault : undefined),
      );
      if (count < limit) return;
    } catch (error) {
      if (limit === 1 || isDatabaseAway(error)) throw error;
      size = 1;
    }
  }
}
