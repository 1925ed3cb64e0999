import type { PlannedEvent, SimulatedEvent } from './event.ts';
import { createHeap, type Heap } from './heap.ts';

export interface PlannedDelivery extends PlannedEvent {
  deliveryId: string;
}

/** Plans a new lifecycle whose first event happens at `at`. */
type PlanLifecycle = (at: number) => PlannedDelivery[];

interface OpenLifecycle {
  events: readonly PlannedDelivery[];
  next: number;
}

export function buildEvent({ build, deliveryId, at }: PlannedDelivery): SimulatedEvent {
  return { ...build(), deliveryId, at };
}

/**
 * Endless events of `open` lifecycles at a time, ordered by time. The first lifecycles start `spacingMs` apart. Each later one
 * starts when another one ends.
 */
export function* streamConcurrent(
  plan: PlanLifecycle,
  { startAt, open, spacingMs }: { startAt: number; open: number; spacingMs: number },
): Generator<SimulatedEvent, never> {
  const lifecycles = createHeap<OpenLifecycle>();
  for (let index = 0; index < open; index += 1)
    begin(lifecycles, plan(startAt + Math.round(index * spacingMs)));
  for (;;) {
    const event = takeFirst(lifecycles);
    if (lifecycles.size < open) begin(lifecycles, plan(event.at));
    yield buildEvent(event);
  }
}

/**
 * Endless events at `rate` a second: the n-th event is due at or just before `startAt + n / rate`. When no open lifecycle has an
 * event due, `burst()` new lifecycles start.
 */
export function* streamAtRate(
  plan: PlanLifecycle,
  { startAt, rate, burst }: { startAt: number; rate: number; burst: () => number },
): Generator<SimulatedEvent, never> {
  const lifecycles = createHeap<OpenLifecycle>();
  for (let sent = 0; ; sent += 1) {
    const dueAt = startAt + Math.floor((sent * 1000) / rate);
    if (lifecycles.peekKey() > dueAt) {
      for (let missing = burst(); missing > 0; missing -= 1) begin(lifecycles, plan(dueAt));
    }
    yield buildEvent(takeFirst(lifecycles));
  }
}

function begin(lifecycles: Heap<OpenLifecycle>, events: readonly PlannedDelivery[]): void {
  lifecycles.push(events[0]?.at ?? Infinity, { events, next: 0 });
}

function takeFirst(lifecycles: Heap<OpenLifecycle>): PlannedDelivery {
  const lifecycle = lifecycles.pop();
  const event = lifecycle?.events[lifecycle.next];
  if (lifecycle === undefined || event === undefined) throw new Error('a lifecycle without events');
  lifecycle.next += 1;
  const following = lifecycle.events[lifecycle.next];
  if (following !== undefined) lifecycles.push(following.at, lifecycle);
  return event;
}
