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
  decisions: Decision[];
}

export type Decision =
  | { ruleId: string; incidentId: string; kind: 'opened' | 'repeated' | 'recovered' }
  | { ruleId: string; reason: SuppressedReason };

/** Pure. `effects` contains only the effects of this completion. */
export function evaluationOf(completion: DequeuedCompletion, effects: readonly Effect[]): DeliveryEvaluation {
  return {
    deliverySeq: completion.deliverySeq,
    evaluation: {
      ...completionIdOf(completion),
      isFaulty: false,
      hasClosedIncident: effects.some(({ type }) => type === 'closed'),
      decisions: effects.flatMap(decisionsOf),
    },
  };
}

export function faultyEvaluation(completion: DequeuedCompletion): DeliveryEvaluation {
  const nothing = { hasClosedIncident: false, decisions: [] };
  return {
    deliverySeq: completion.deliverySeq,
    evaluation: { ...completionIdOf(completion), isFaulty: true, ...nothing },
  };
}

export function kindOf({ isRepeat }: Extract<Effect, { type: 'notified' }>): 'opened' | 'repeated' {
  return isRepeat ? 'repeated' : 'opened';
}

function completionIdOf({ runId, attempt, jobId, conclusion }: Completion) {
  return { runId, attempt, jobId, conclusion };
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
      return [];
  }
}
