import type { SimulatedEvent } from '#server/simulate/event.ts';
import { createSimulator } from '#server/simulate/lifecycle.ts';
import { postEvents } from '#server/simulate/post-events.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

const hours = 14 * 24;

/** Lifecycles that begin in an hour of the day: people come in the morning and go in the evening, schedules do not. */
const begunInHour = [0, 1, 0, 0, 1, 0, 0, 1, 1, 2, 3, 2, 1, 2, 3, 3, 2, 2, 1, 1, 0, 1, 0, 0];

/** Minutes ago at which the latest lifecycles began. They are told as far as they have come: some still run. */
const begunMinutesAgo = [56, 47, 39, 31, 24, 18, 13, 9, 7, 5, 4, 3, 2, 1];

/** What cannot start is told under the name of its file, so that no later run makes it green: too much of it stays. */
const mix = { outcomes: { startup_failure: 0 } };

/**
 * Has an integration look as if it had been used for two weeks, through the product's own webhook address: what is red,
 * the numbers and the charts are then what the product makes of it. Some 10,000 events.
 */
export async function fillWeeks(target: {
  baseUrl: string;
  integrationId: string;
  secret: string;
}): Promise<void> {
  const { sent, accepted } = await postEvents({ ...target, events: pastEvents(Date.now()), concurrency: 8 });
  if (accepted < sent) throw new Error(`${sent - accepted} of ${sent} events were not accepted`);
}

/** In the order in which they would have happened, but for lifecycles that reach into the next one. */
function* pastEvents(now: number): Generator<SimulatedEvent> {
  const last = Math.floor(now / hourMs) * hourMs - hourMs;
  for (let hour = last - hours * hourMs; hour < last; hour += hourMs) {
    const lifecycles = begunInHour[new Date(hour).getUTCHours()] ?? 0;
    for (let nth = 0; nth < lifecycles; nth++) {
      const lifecycle = lifecycleFrom(hour + (nth * hourMs) / lifecycles);
      if (lifecycle.every(({ at }) => at <= now)) yield* lifecycle;
    }
  }
  yield* begunMinutesAgo
    .flatMap((minutes) => lifecycleFrom(now - minutes * 60_000))
    .filter(({ at }) => at <= now)
    .toSorted((one, other) => one.at - other.at);
}

function lifecycleFrom(startAt: number): SimulatedEvent[] {
  return createSimulator({ seed: String(startAt), startAt: new Date(startAt), mix }).nextLifecycle();
}
