import type { DeliveryStep, QueuedVerdict, StepOutcome } from '#contract/deliveries/deliveries.ts';
import type { KnownEvaluation } from '#server/alerts/evaluation/read-evaluation.ts';
import { evaluatedStep } from './alerted-step.ts';
import { decodeOutcome, type Outcome } from '../outcomes/outcome-codes.ts';
import type { RecordedOutcome } from '../outcomes/outcome-store.ts';
import type { Death, StoredDelivery } from '../store.ts';

export interface DeliveryStatus {
  verdict: QueuedVerdict;
  /** Why it is stale or dead. */
  reason: string | null;
  outcome: Outcome | undefined;
  settledAt: Date | undefined;
  death: Death | undefined;
}

/** Pure. */
export function statusOf(
  { isDead, isDone, isLeased }: Pick<StoredDelivery, 'isDead' | 'isDone' | 'isLeased'>,
  recorded: RecordedOutcome | undefined,
  death: Death | undefined,
): DeliveryStatus {
  const outcome = recorded && decodeOutcome(recorded.code);
  const known = { outcome, settledAt: recorded?.settledAt, death };
  if (isDead) return { ...known, verdict: deadVerdict(death), reason: death?.reason ?? null };
  if (!isDone) return { ...known, verdict: isLeased ? 'processing' : 'waiting', reason: null };
  if (outcome === undefined) return { ...known, verdict: 'done', reason: null };
  const reason = outcome.outcome === 'stale' ? outcome.reason : null;
  return { ...known, verdict: outcome.outcome, reason };
}

/** A dead letter that was deleted by age still counts as dead. */
function deadVerdict(death: Death | undefined): QueuedVerdict {
  return death?.ended === 'redriven' || death?.ended === 'dropped' ? death.ended : 'dead';
}

const earlierAttempt = 'earlier_attempt_updated';

const staleDetails: Record<string, string> = {
  same_event: 'The same event was stored before.',
  older_attempt: 'A later attempt of the run is stored.',
  already_completed: 'It is stored as completed, and this says otherwise.',
  older_update: 'What is stored was updated later.',
  earlier_status: 'What is stored is further in its life.',
  earlier_delivery: 'What is stored was delivered later.',
  past_retention: 'It is older than the runs that are kept, so it was not stored.',
  earlier_attempt_updated: 'An earlier attempt was updated; a later attempt of the run is stored too.',
};

/** The steps of a delivery. `later` is the status of the message that replaced it. Pure. */
export function stepsOf(
  status: DeliveryStatus,
  later: DeliveryStatus | undefined,
  receivedAt: string | null,
  queuedAt: Date,
  isReplay: boolean,
  evaluation: KnownEvaluation | 'waiting' | 'none',
): DeliveryStep[] {
  const queued = queuedAt.toISOString();
  const steps: DeliveryStep[] = [
    { step: 'received', outcome: 'done', at: receivedAt, detail: null },
    {
      step: 'verified',
      outcome: 'done',
      at: receivedAt,
      detail: 'The signature matches the received bytes.',
    },
    {
      step: 'queued',
      outcome: 'done',
      at: queued,
      detail: isReplay ? 'A person queued it again.' : 'Stored before the forge got its answer.',
    },
    storedStep(status),
    pushedStep(status),
    alertedStep(status, evaluation),
  ];
  switch (status.verdict) {
    case 'dead':
      return [...steps, deadStep(status)];
    case 'redriven':
      return [...steps, deadStep(status), redrivenStep(status, later)];
    case 'dropped':
      return [...steps, deadStep(status), endStep('dropped', 'done', status, 'A person dropped it.')];
    default:
      return steps;
  }
}

function storedStep({ verdict, reason, settledAt }: DeliveryStatus): DeliveryStep {
  const at = settledAt?.toISOString() ?? null;
  const step = 'stored' as const;
  switch (verdict) {
    case 'stored':
      return { step, outcome: 'done', at, detail: null };
    case 'stale':
      return {
        step,
        outcome: reason === earlierAttempt ? 'done' : 'skipped',
        at,
        detail: staleDetails[reason ?? ''] ?? null,
      };
    case 'dead':
    case 'redriven':
    case 'dropped':
      return { step, outcome: 'failed', at: null, detail: null };
    case 'done':
      return {
        step,
        outcome: 'unknown',
        at: null,
        detail: 'It was processed; with what outcome is not on record.',
      };
    case 'waiting':
    case 'processing':
      return { step, outcome: 'waiting', at: null, detail: null };
  }
}

function pushedStep({ verdict, reason, outcome, settledAt }: DeliveryStatus): DeliveryStep {
  const step = 'pushed' as const;
  if (verdict === 'waiting' || verdict === 'processing')
    return { step, outcome: 'waiting', at: null, detail: null };
  if (outcome === undefined && verdict === 'done')
    return { step, outcome: 'unknown', at: null, detail: null };
  if (reason === earlierAttempt)
    return { step, outcome: 'skipped', at: null, detail: 'Screens follow the newest attempt of a run.' };
  if (verdict !== 'stored' || outcome?.outcome !== 'stored')
    return { step, outcome: 'skipped', at: null, detail: 'Nothing changed.' };
  if (outcome.isShown)
    return {
      step,
      outcome: 'done',
      at: settledAt?.toISOString() ?? null,
      detail: 'Sent to the screens that were open.',
    };
  const detail = outcome.eventType.startsWith('workflow_')
    ? 'A later event of the same object, stored with it, was sent instead.'
    : 'Screens follow runs and jobs alone.';
  return { step, outcome: 'skipped', at: null, detail };
}

function alertedStep(
  { verdict, reason, outcome }: DeliveryStatus,
  evaluation: KnownEvaluation | 'waiting' | 'none',
): DeliveryStep {
  const step = 'alerted' as const;
  if (verdict === 'waiting' || verdict === 'processing')
    return { step, outcome: 'waiting', at: null, detail: null };
  if (reason === earlierAttempt)
    return { step, outcome: 'skipped', at: null, detail: 'Rules look at the newest attempt of a run.' };
  const mayAlert = outcome?.outcome === 'stored' && outcome.eventType.startsWith('workflow_');
  if (!mayAlert && verdict !== 'done')
    return { step, outcome: 'skipped', at: null, detail: 'Rules look at runs and jobs that were stored.' };
  if (verdict === 'done' && evaluation === 'none')
    return { step, outcome: 'unknown', at: null, detail: null };
  return evaluatedStep(evaluation);
}

function deadStep({ death }: DeliveryStatus): DeliveryStep {
  return {
    step: 'dead',
    outcome: 'failed',
    at: death?.deadAt.toISOString() ?? null,
    detail:
      death === undefined
        ? 'It is no longer among the dead letters, and why it was is not on record.'
        : [death.reason, death.detail].filter((text) => text !== null).join(': '),
  };
}

/** The outcome is that of the message that replaced this one. */
function redrivenStep(status: DeliveryStatus, later: DeliveryStatus | undefined): DeliveryStep {
  const { successor } = status.death ?? {};
  if (later === undefined)
    return endStep(
      'redriven',
      'unknown',
      status,
      'It was queued again; what became of that is not on record.',
    );
  const detail = `It was queued again: delivery ${successor} took its place, and is ${later.verdict}.`;
  return endStep('redriven', laterOutcomes[later.verdict], status, detail);
}

const laterOutcomes: Record<QueuedVerdict, StepOutcome> = {
  waiting: 'waiting',
  processing: 'waiting',
  stored: 'done',
  stale: 'done',
  done: 'done',
  dead: 'failed',
  redriven: 'failed',
  dropped: 'failed',
};

function endStep(
  step: DeliveryStep['step'],
  outcome: StepOutcome,
  { death }: DeliveryStatus,
  detail: string,
): DeliveryStep {
  return { step, outcome, at: death?.endedAt?.toISOString() ?? null, detail };
}
