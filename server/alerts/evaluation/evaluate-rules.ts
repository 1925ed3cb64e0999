import { randomUUID } from 'node:crypto';
import { isRed } from '#contract/runs/conclusions.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import {
  incidentClosedEntry,
  incidentOpenedEntry,
} from '#server/alerts/notifications/content/log-entries.ts';
import {
  emptyBranch,
  reduceCompletion,
  type BranchState,
  type Effect,
  suppressAll,
  type OpenIncident,
} from '#server/alerts/incidents/incident-reducer.ts';
import { announceIncidents } from '#server/alerts/incidents/incident-change-store.ts';
import { branchKey, jobKey } from '#server/alerts/branches/branch-keys.ts';
import { moveToNamedRuns } from '#server/alerts/branches/named-runs.ts';
import { findBranches } from '#server/alerts/branches/branch-store.ts';
import { retractSuperseded } from '#server/alerts/incidents/retract-superseded.ts';
import {
  deleteFailures,
  insertFailures,
  saveIncident,
  type IncidentEnd,
} from '#server/alerts/incidents/incident-store.ts';
import { evaluationOf, kindOf, type DeliveryEvaluation } from './evaluation.ts';
import { insertEvaluations } from './evaluation-store.ts';
import {
  failureOf,
  matchingRules,
  needsGroups,
  needsQuarantine,
  type Completion,
  type Rule,
} from '#server/alerts/rules/matching-rules.ts';
import {
  insertNotifications,
  suppressPending,
  type NewNotification,
} from '#server/alerts/notifications/notification-store.ts';
import {
  lockEvaluation,
  dequeueCompletions,
  type DequeuedCompletion,
  type Waits,
} from './completion-store.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { addRuleFacts } from '#server/alerts/reasons/rule-facts.ts';
import { staleAfterDays } from '#server/runs/latest/workflow-states.ts';
import { listEnabledRules } from '#server/alerts/rules/rule-store.ts';
import { readShownNames, type ShownNames } from '#server/runs/names/shown-names.ts';
import { saveSuccesses, type Success } from '#server/alerts/branches/success-store.ts';

/**
 * Evaluates the rules for the oldest pending completions in the caller's transaction and returns how many there were.
 * With `onFault`, completions that throw are dropped after it is called.
 */
export async function evaluateRules(
  tx: Tx,
  integrationId: string,
  policy: Pick<AlertPolicy, 'newsMs' | 'gatherMs'> & Waits,
  now: number,
  limit: number,
  onFault?: (error: unknown) => void,
): Promise<number> {
  const [, rules, names] = await Promise.all([
    lockEvaluation(tx, integrationId),
    listEnabledRules(tx, integrationId),
    readShownNames(tx, [integrationId]),
  ]);
  const awaitReasonMs = rules.some(needsGroups) ? policy.awaitReasonMs : 0;
  const awaitReportsMs = rules.some(needsQuarantine) ? policy.awaitReportsMs : 0;
  const waits = { ...policy, awaitReasonMs, awaitReportsMs };
  const found = await dequeueCompletions(tx, integrationId, waits, limit);
  await moveToNamedRuns(tx, integrationId, found);
  const ignoredBecause = ({ conclusion, at, ruleId, isHidden, isOfLeftBranch }: DequeuedCompletion) => {
    if (conclusion === 'success') return undefined;
    if (isHidden) return 'hidden';
    if (isOfLeftBranch) return 'resolved';
    return ruleId === null && at < now - policy.newsMs ? 'too_old' : undefined;
  };
  const isRedNow = (completion: DequeuedCompletion): boolean =>
    isRedDefaultBranch(completion) && completion.at >= now - staleAfterDays * dayMs;
  const completions = await addRuleFacts(
    tx,
    integrationId,
    names.withNames(integrationId, found.completions),
    rules,
  );
  const evaluate = async (): Promise<void> => {
    await retractSuperseded(tx, integrationId, completions, names);
    const { effects, evaluations } = await reduceAll(tx, integrationId, completions, rules, {
      ignoredBecause,
      isRedNow,
    });
    await applyEffects(tx, integrationId, effects, { now, gatherMs: policy.gatherMs, names });
    await insertEvaluations(tx, integrationId, evaluations);
  };
  const recordFault = (): Promise<void> =>
    insertEvaluations(
      tx,
      integrationId,
      completions.map((completion) => evaluationOf(completion, undefined)),
    );
  if (completions.length > 0)
    await (onFault === undefined ? evaluate() : withFallback(tx, evaluate, recordFault, onFault));
  return found.count;
}

async function withFallback(
  tx: Tx,
  work: () => Promise<void>,
  fallback: () => Promise<void>,
  onFault: (error: unknown) => void,
): Promise<void> {
  await tx.query('savepoint evaluation');
  try {
    await work();
    await tx.query('release savepoint evaluation');
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await tx.query('rollback to savepoint evaluation');
    await fallback();
    onFault(error);
  }
}

async function reduceAll(
  tx: Tx,
  integrationId: string,
  completions: readonly DequeuedCompletion[],
  rules: readonly Rule[],
  {
    ignoredBecause,
    isRedNow,
  }: {
    /** Why no rule notifies about a failure. */
    ignoredBecause(completion: DequeuedCompletion): 'hidden' | 'resolved' | 'too_old' | undefined;
    /** An incident counts it, whether or not a rule matches. */
    isRedNow(completion: DequeuedCompletion): boolean;
  },
): Promise<{ effects: Effect[]; evaluations: DeliveryEvaluation[] }> {
  const branches = await findBranches(tx, integrationId, completions);
  const successes = { run: new Map<string, Success>(), job: new Map<string, Success>() };
  const effects: Effect[] = [];
  const evaluations: DeliveryEvaluation[] = [];
  const takeBreaks = makeBreaks();
  for (const completion of completions) {
    const { ruleId: onlyRule } = completion;
    const own = onlyRule === null ? rules : rules.filter(({ ruleId }) => ruleId === onlyRule);
    const matching: Rule[] = [];
    if (completion.conclusion !== 'success')
      for (const rule of own) {
        // Comparing one name with the patterns of a rule can take a millisecond.
        await takeBreaks();
        matching.push(...matchingRules([rule], completion));
      }
    const ignored = ignoredBecause(completion);
    const alwaysCounted = (ignored === undefined || ignored === 'too_old') && isRedNow(completion);
    const suppressed = ignored === undefined ? [] : suppressAll(matching, ignored);
    if (ignored !== undefined && !alwaysCounted) {
      evaluations.push(evaluationOf(completion, suppressed));
      continue;
    }
    const name = branchKey(completion).toString('hex');
    const branch = branches.get(name) ?? emptyBranch();
    branches.set(name, branch);
    const isEarlier = onlyRule !== null;
    const ownEffects = reduceCompletion(branch, completion, own, randomUUID, {
      isEarlier,
      matching: ignored === undefined ? matching : [],
      alwaysCounted,
    });
    effects.push(...ownEffects);
    if (rules.length > 0 || ownEffects.length > 0)
      evaluations.push(evaluationOf(completion, [...ownEffects, ...suppressed]));
    if (completion.conclusion === 'success') {
      const success = newestSuccess(branch, completion);
      successes[completion.event].set(success.key.toString('hex'), success);
    }
  }
  for (const event of ['run', 'job'] as const)
    void sentAhead(saveSuccesses(tx, integrationId, event, [...successes[event].values()]));
  return { effects, evaluations };
}

/** Its workflow is red, as the wallboard says. Failed jobs of a run do not decide that. */
function isRedDefaultBranch({ event, onDefaultBranch, conclusion }: Completion): boolean {
  return event === 'run' && onDefaultBranch === true && isRed(conclusion);
}

function newestSuccess(branch: BranchState, completion: Completion): Success {
  return completion.event === 'run'
    ? { key: branchKey(completion), position: branch.runSuccess ?? completion }
    : { key: jobKey(completion), position: branch.jobSuccesses.get(completion.name ?? '') ?? completion };
}

async function applyEffects(
  tx: Tx,
  integrationId: string,
  effects: readonly Effect[],
  { now, gatherMs, names }: { now: number; gatherMs: number; names: ShownNames },
): Promise<void> {
  const active = effects.filter((effect) => effect.type !== 'suppressed');
  await saveIncidents(tx, integrationId, active);
  if (active.length > 0) await announceIncidents(tx, integrationId);
  for (const effect of active) {
    const notify = (rule: Rule, kind: NewNotification['kind'], waitMs: number) =>
      insertNotifications(tx, integrationId, { ...notificationOf(effect, rule), kind }, waitMs);
    switch (effect.type) {
      case 'opened':
        await addLogEntry(
          tx,
          incidentOpenedEntry(integrationId, names.show(integrationId, { ...effect.incident })),
        );
        break;
      case 'counted':
      case 'shortened':
        break;
      case 'notified':
        await notify(effect.rule, kindOf(effect), Math.max(gatherMs, (effect.waitsUntil ?? 0) - now));
        break;
      case 'closed':
        await addLogEntry(
          tx,
          incidentClosedEntry(
            integrationId,
            names.show(integrationId, { ...effect.incident }),
            effect.by,
            effect.redMs,
          ),
        );
        for (const rule of effect.suppressed)
          await suppressPending(tx, integrationId, effect.incident.incidentId, rule.ruleId);
        for (const rule of effect.recovered) await notify(rule, 'recovered', 0);
        break;
    }
  }
}

type ActiveEffect = Exclude<Effect, { type: 'suppressed' }>;

/** Saves the final state of each incident once, in the order of their opening: a branch has at most one open incident. */
async function saveIncidents(tx: Tx, integrationId: string, effects: readonly ActiveEffect[]): Promise<void> {
  const incidents = new Map<OpenIncident, IncidentEnd | undefined>();
  for (const effect of effects) {
    const end =
      effect.type === 'closed' ? { closedAt: closedAt(effect), byRunId: effect.by.runId } : undefined;
    incidents.set(effect.incident, end ?? incidents.get(effect.incident));
  }
  for (const [incident, end] of incidents) await saveIncident(tx, integrationId, incident, end);
  await insertFailures(
    tx,
    integrationId,
    effects.flatMap((effect) =>
      effect.type === 'opened' || effect.type === 'counted'
        ? [{ incidentId: effect.incident.incidentId, completion: effect.completion }]
        : [],
    ),
  );
  await deleteFailures(
    tx,
    integrationId,
    effects.flatMap((effect) =>
      effect.type === 'shortened'
        ? effect.resolved.map((completion) => ({ incidentId: effect.incident.incidentId, completion }))
        : [],
    ),
  );
}

/** Clocks of runners differ, but an incident never closes before it opens. */
function closedAt({ incident, redMs }: Extract<Effect, { type: 'closed' }>): Date {
  return new Date(incident.first.at + redMs);
}

function notificationOf(effect: ActiveEffect, { ruleId }: Rule) {
  const { incident } = effect;
  const completion = effect.type === 'notified' ? effect.completion : null;
  const waitsUntil = effect.type === 'notified' ? effect.waitsUntil : null;
  return {
    ruleId,
    incidentId: incident.incidentId,
    branchKey: branchKey(incident.first),
    failureAt: new Date(waitsUntil ?? (completion ?? incident.last).at),
    failure: completion && failureOf(completion),
  };
}
