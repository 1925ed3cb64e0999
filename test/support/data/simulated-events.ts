import type { SimulatedEvent } from '#server/simulate/event.ts';
import { createSimulator } from '#server/simulate/simulator.ts';

/** The first events of a stream of the simulator that begins now. */
export function simulatedEvents(seed: string, count: number): SimulatedEvent[] {
  const stream = createSimulator({ seed, startAt: new Date() }).stream({ rate: 5 });
  return Array.from({ length: count }, () => stream.next().value);
}
