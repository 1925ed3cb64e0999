import type { SimulatedEvent } from '#server/simulate/event.ts';
import { postEvents } from '#server/simulate/post/post-events.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

const hours = 14 * 24;

/** Lifecycles that start in each hour of the day: more in working hours, some at night by schedule. */
const startedInHour = [0, 1, 0, 0, 1, 0, 0, 1, 1, 2, 3, 2, 1, 2, 3, 3, 2, 2, 1, 1, 0, 1, 0, 0];

/** Start times of the latest lifecycles in minutes ago. Future events are left out, so some of them still run. */
const startedMinutesAgo = [56, 47, 39, 31, 24, 18, 13, 9, 7, 5, 4, 3, 2, 1];
/** A pull request of that age has failed once and is still open. */
const openPullRequestMinutes = 9;

/** Sends about 10,000 webhooks to an integration, so that it looks as if it had been used for two weeks. */
export async function fillWeeks(target: {
  baseUrl: string;
  integrationId: string;
  secret: string;
}): Promise<void> {
  const { sent, accepted } = await postEvents({ ...target, events: pastEvents(Date.now()), concurrency: 8 });
  if (accepted < sent) throw new Error(`${sent - accepted} of ${sent} events were not accepted`);
}

/** Ordered by time, except for lifecycles that overlap. */
function* pastEvents(now: number): Generator<SimulatedEvent> {
  const simulator = createSimulator({ seed: now, startAt: new Date(now) });
  const last = Math.floor(now / hourMs) * hourMs - hourMs;
  for (let hour = last - hours * hourMs; hour < last; hour += hourMs) {
    const lifecycles = startedInHour[new Date(hour).getUTCHours()] ?? 0;
    for (let nth = 0; nth < lifecycles; nth++) {
      const lifecycle = simulator.story(undefined, hour + (nth * hourMs) / lifecycles);
      if (lifecycle.every(({ at }) => at <= now)) yield* lifecycle;
    }
  }
  yield* startedMinutesAgo
    .flatMap((minutes) =>
      simulator.story(minutes === openPullRequestMinutes ? 'pullRequest' : undefined, now - minutes * 60_000),
    )
    .filter(({ at }) => at <= now)
    .toSorted((one, other) => one.at - other.at);
}
