import type { Effect, SuppressedReason } from '#server/alerts/incidents/incident-reducer.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';
import type { DequeuedCompletion } from './completion-store.ts';

export interface DeliveryEvaluation {
  deliverySeq: string | null;
  evaluation: Evaluation;
}

export interface Evaluation extends Pick<Completion, 'runId' | 'attempt' | 'jobId' | 'conclusion'> {
  /** The rules could not be evaluated. */
  isFaulty: boolean;
  hasClosedIncident: boolean;
  /** Whether an incident counts the failure. */
  countedAs: 'opened' | 'counted' | null;
  decisions: Decision[];
}

export type Decision =
  | { ruleId: string; incidentId: string; kind: 'opened' | 'repeated' | 'recovered' }
  | { ruleId: string; reason: SuppressedReason };

/** Pure. `effects` contains only the effects of this completion; undefined if the rules could not be evaluated. */
export function evaluationOf(
  { deliverySeq, runId, attempt, jobId, conclusion }: DequeuedCompletion,
  effects: readonly Effect[] | undefined,
): DeliveryEvaluation {
  return {
    deliverySeq,
    evaluation: {
      runId,
      attempt,
      jobId,
      conclusion,
      isFaulty: effects === undefined,
      hasClosedIncident: effects?.some(({ type }) => type === 'closed') === true,
      countedAs:
        effects?.map(({ type }) => type).find((type) => type === 'opened' || type === 'counted') ?? null,
      decisions: effects?.flatMap(decisionsOf) ?? [],
    },
  };
}

export function kindOf({ isRepeat }: Extract<Effect, { type: 'notified' }>): 'opened' | 'repeated' {
  return isRepeat ? 'repeated' : 'opened';
}

function decisionsOf(effect: Effect): Decision[] {
  switch (effect.type) {
    case 'notified':
      return [{ ruleId: effect.rule.ruleId, incidentId: effect.incident.incidentId, kind: kindOf(effect) }];
    case 'suppressed':
      return [{ ruleId: effect.rule.ruleId, reason: effect.reason }];
    case 'closed':
      return effect.recovered.map(({ ruleId }) => ({
        ruleId,
        incidentId: effect.incident.incidentId,
        kind: 'recovered',
      }));
    case 'opened':
    case 'counted':
    case 'shortened':
      return [];
  }
}
