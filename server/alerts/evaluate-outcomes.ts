import { randomUUID } from 'node:crypto';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { makeBreaks } from '#platform/runtime/breaks.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { incidentClosedEntry, incidentOpenedEntry } from './alert-entries.ts';
import {
  emptyBranch,
  foldOutcome,
  type BranchState,
  type Effect,
  type OpenIncident,
} from './fold-outcome.ts';
import {
  branchKey,
  findBranches,
  jobKey,
  saveJobSuccesses,
  saveSuccesses,
  type Success,
} from './branch-store.ts';
import { insertFailures, saveIncident, type IncidentEnd } from './incident-store.ts';
import { failureOf, type Outcome, type Rule } from './matching-rules.ts';
import { holdBackNotifications, insertNotifications, type NewNotification } from './notification-store.ts';
import { lockEvaluation, takeOutcomes } from './outcome-store.ts';
import type { AlertPolicy } from './policy.ts';
import { listEnabledRules } from './store.ts';

/**
 * Holds the oldest candidates against the rules, inside the caller's transaction. Answers how many there were. With
 * `onFault` those that cannot be are taken away all the same, without effects.
 */
export async function evaluateOutcomes(
  tx: Tx,
  integrationId: string,
  policy: Pick<AlertPolicy, 'newsMs' | 'gatherMs' | 'awaitRunMs' | 'awaitNamesMs'>,
  now: number,
  limit: number,
  onFault?: (error: unknown) => void,
): Promise<number> {
  const [, rules, found] = await Promise.all([
    lockEvaluation(tx, integrationId),
    listEnabledRules(tx, integrationId),
    takeOutcomes(tx, integrationId, policy, limit),
  ]);
  const isNews = (outcome: Outcome): boolean =>
    outcome.conclusion === 'success' || outcome.at >= now - policy.newsMs;
  const outcomes = found.outcomes.filter(isNews);
  const hold = async (): Promise<void> => {
    const effects = await foldLive(tx, integrationId, outcomes, rules);
    await applyEffects(tx, integrationId, effects, { now, gatherMs: policy.gatherMs });
  };
  if (outcomes.length > 0) await (onFault === undefined ? hold() : unlessFaulty(tx, hold, onFault));
  return found.taken;
}

async function unlessFaulty(
  tx: Tx,
  work: () => Promise<void>,
  onFault: (error: unknown) => void,
): Promise<void> {
  await tx.query('savepoint held');
  try {
    await work();
    await tx.query('release savepoint held');
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await tx.query('rollback to savepoint held');
    onFault(error);
  }
}

async function foldLive(
  tx: Tx,
  integrationId: string,
  outcomes: readonly Outcome[],
  rules: readonly Rule[],
): Promise<Effect[]> {
  const branches = await findBranches(tx, integrationId, outcomes);
  const successes = { run: new Map<string, Success>(), job: new Map<string, Success>() };
  const effects: Effect[] = [];
  const takeBreaks = makeBreaks();
  for (const outcome of outcomes) {
    await takeBreaks();
    const name = branchKey(outcome).toString('hex');
    const branch = branches.get(name) ?? emptyBranch();
    branches.set(name, branch);
    effects.push(...foldOutcome(branch, outcome, rules, randomUUID));
    if (outcome.conclusion === 'success') {
      const success = newestSuccess(branch, outcome);
      successes[outcome.event].set(success.key.toString('hex'), success);
    }
  }
  void sentAhead(saveSuccesses(tx, integrationId, [...successes.run.values()]));
  void sentAhead(saveJobSuccesses(tx, integrationId, [...successes.job.values()]));
  return effects;
}

function newestSuccess(branch: BranchState, outcome: Outcome): Success {
  return outcome.event === 'run'
    ? { key: branchKey(outcome), position: branch.success ?? outcome }
    : { key: jobKey(outcome), position: branch.passed.get(outcome.name ?? '') ?? outcome };
}

async function applyEffects(
  tx: Tx,
  integrationId: string,
  effects: readonly Effect[],
  { now, gatherMs }: { now: number; gatherMs: number },
): Promise<void> {
  await saveIncidents(tx, integrationId, effects);
  for (const effect of effects) {
    const notify = (rule: Rule, kind: NewNotification['kind'], waitMs: number) =>
      insertNotifications(tx, integrationId, { ...notificationOf(effect, rule), kind }, waitMs);
    switch (effect.type) {
      case 'opened':
        await addLogEntry(tx, incidentOpenedEntry(integrationId, effect.incident));
        break;
      case 'counted':
        break;
      case 'told':
        await notify(effect.rule, 'opened', Math.max(gatherMs, (effect.waitsUntil ?? 0) - now));
        break;
      case 'closed':
        await addLogEntry(tx, incidentClosedEntry(integrationId, effect.incident, effect.by, effect.redMs));
        for (const rule of effect.heldBack)
          await holdBackNotifications(tx, integrationId, effect.incident.incidentId, rule.ruleId);
        for (const rule of effect.recovered) await notify(rule, 'recovered', 0);
        break;
    }
  }
}

/** Each incident once, as it is in the end, in the order in which they began: a branch has but one that is open. */
async function saveIncidents(tx: Tx, integrationId: string, effects: readonly Effect[]): Promise<void> {
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
        ? [{ incidentId: effect.incident.incidentId, outcome: effect.outcome }]
        : [],
    ),
  );
}

/** Clocks of runners differ: an incident never ends before it began. */
function closedAt({ incident, redMs }: Extract<Effect, { type: 'closed' }>): Date {
  return new Date(incident.first.at + redMs);
}

function notificationOf(effect: Effect, { ruleId }: Rule) {
  const { incident } = effect;
  const outcome = effect.type === 'told' ? effect.outcome : null;
  const waitsUntil = effect.type === 'told' ? effect.waitsUntil : null;
  return {
    ruleId,
    incidentId: incident.incidentId,
    branchKey: branchKey(incident.first),
    failureAt: new Date(waitsUntil ?? (outcome ?? incident.last).at),
    failure: outcome && failureOf(outcome),
  };
}
