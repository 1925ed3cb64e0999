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
 * Endless events in the order of their times, of as many lifecycles at once as `open` says. The first ones start
 * `spacingMs` apart, each later one when another has ended.
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
 * Endless events, of which the n-th has its time at or just before `startAt + n / rate`: when nothing that is open is
 * due, new lifecycles begin, as many as `burst` says.
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
