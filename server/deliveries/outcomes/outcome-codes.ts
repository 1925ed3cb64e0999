import { queuedEvents, type QueuedEvent } from '#contract/integrations/integrations.ts';
import { eventTypeOf } from '#server/events/types/event-types.ts';

/** The result of a message whose event could be parsed. `isShown` says whether an update was sent to open screens. */
export type Outcome =
  | { eventType: QueuedEvent; outcome: 'stored'; isShown: boolean }
  | { eventType: QueuedEvent; outcome: 'stale'; reason: StaleReason };

/**
 * Numbers that the column `delivery_outcomes.codes` holds, one byte for each message: the event type in the high four bits,
 * the result in the low four. Never change or reuse a number: stored rows would change their meaning. Give a new reason the
 * next free number, at most 15.
 */
const storedCodes = { hidden: 0, shown: 1 } as const;

const staleCodes = {
  same_event: 2,
  older_attempt: 3,
  already_completed: 4,
  older_update: 5,
  earlier_status: 6,
  earlier_delivery: 7,
  earlier_attempt_updated: 8,
  past_retention: 9,
} as const;
type StaleReason = keyof typeof staleCodes;

export function encodeOutcome(outcome: Outcome): number {
  return eventTypeOf(outcome.eventType).code * 16 + resultCode(outcome);
}

function resultCode(outcome: Outcome): number {
  if (outcome.outcome === 'stale') return staleCodes[outcome.reason];
  return outcome.isShown ? storedCodes.shown : storedCodes.hidden;
}

const eventTypes = new Map(queuedEvents.map((type) => [eventTypeOf(type).code, type]));
const staleReasons = new Map(
  Object.entries(staleCodes).map(([reason, code]): [number, StaleReason] => [code, reason as StaleReason]),
);

/** Undefined for a byte that stands for no outcome. */
export function decodeOutcome(byte: number): Outcome | undefined {
  const [eventType, result] = [eventTypes.get(byte >> 4), byte % 16];
  if (eventType === undefined) return undefined;
  if (result <= storedCodes.shown)
    return { eventType, outcome: 'stored', isShown: result === storedCodes.shown };
  const reason = staleReasons.get(result);
  return reason && { eventType, outcome: 'stale', reason };
}
