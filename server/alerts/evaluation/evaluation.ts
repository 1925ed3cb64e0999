import type { Effect, SuppressedReason } from '#server/alerts/incidents/incident-reducer.ts';
import type { Outcome } from '#server/alerts/rules/matching-rules.ts';
import type { TakenOutcome } from './completion-store.ts';

/** What the rules said to one delivery, as it is stored. */
export interface DeliveryEvaluation {
  deliverySeq: string | null;
  evaluation: Evaluation;
}

export interface Evaluation extends Pick<Outcome, 'runId' | 'attempt' | 'jobId' | 'conclusion'> {
  /** The rules could not be evaluated. */
  isFaulty: boolean;
  hasClosedIncident: boolean;
  decisions: Decision[];
}

export type Decision =
  | { ruleId: string; incidentId: string; kind: 'opened' | 'repeated' | 'recovered' }
  | { ruleId: string; reason: SuppressedReason };

/** Pure. `effects` are those of this outcome alone. */
export function evaluationOf(outcome: TakenOutcome, effects: readonly Effect[]): DeliveryEvaluation {
  return {
    deliverySeq: outcome.deliverySeq,
    evaluation: {
      ...whatEnded(outcome),
      isFaulty: false,
      hasClosedIncident: effects.some(({ type }) => type === 'closed'),
      decisions: effects.flatMap(decisionsOf),
    },
  };
}

export function failedEvaluation(outcome: TakenOutcome): DeliveryEvaluation {
  const nothing = { hasClosedIncident: false, decisions: [] };
  return {
    deliverySeq: outcome.deliverySeq,
    evaluation: { ...whatEnded(outcome), isFaulty: true, ...nothing },
  };
}

export function kindOf({ isRepeat }: Extract<Effect, { type: 'told' }>): 'opened' | 'repeated' {
  return isRepeat ? 'repeated' : 'opened';
}

function whatEnded({ runId, attempt, jobId, conclusion }: Outcome) {
  return { runId, attempt, jobId, conclusion };
}

function decisionsOf(effect: Effect): Decision[] {
  switch (effect.type) {
    case 'told':
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
