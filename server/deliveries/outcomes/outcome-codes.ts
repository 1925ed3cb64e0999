import { queuedEvents, type QueuedEvent } from '#contract/integrations.ts';

/** What became of a message whose event could be read. `isShown` says whether open screens were told. */
export type Outcome =
  | { eventType: QueuedEvent; outcome: 'stored'; isShown: boolean }
  | { eventType: QueuedEvent; outcome: 'stale'; reason: StaleReason };

/** Stored as numbers: only ever add to the ends. */
const staleReasons = [
  'same_event',
  'older_attempt',
  'already_completed',
  'older_update',
  'earlier_status',
  'earlier_delivery',
  'earlier_attempt_updated',
] as const;
type StaleReason = (typeof staleReasons)[number];

const firstStale = 2;

/** One byte: the event type in the high half, the outcome in the low one. */
export function encodeOutcome(outcome: Outcome): number {
  const low =
    outcome.outcome === 'stored'
      ? Number(outcome.isShown)
      : firstStale + staleReasons.indexOf(outcome.reason);
  return queuedEvents.indexOf(outcome.eventType) * 16 + low;
}

/** Undefined for a byte that no outcome has. */
export function decodeOutcome(byte: number): Outcome | undefined {
  const [eventType, low] = [queuedEvents[byte >> 4], byte % 16];
  if (eventType === undefined) return undefined;
  if (low < firstStale) return { eventType, outcome: 'stored', isShown: low === 1 };
  const reason = staleReasons[low - firstStale];
  return reason && { eventType, outcome: 'stale', reason };
}
