import { createDeliveryIds } from './delivery-id.ts';
import type { PlannedEvent, SimulatedEvent } from './event.ts';
import { streamConcurrent, streamAtRate, buildEvent, type PlannedDelivery } from './interleave.ts';
import { createRandom } from './random.ts';
import type { ForgeUrls } from './payload/account.ts';
import { resolveMix, type MixOptions, type Scenario } from './traffic/mix.ts';
import { planScenario } from '#server/simulate/traffic/plan-scenario.ts';
import { createWorld } from './traffic/world.ts';

export interface SimulatorOptions {
  /** The same seed and options give the same bytes. */
  seed: string | number;
  /** Time of the first event. Ids and delivery ids depend on it, so that two simulations do not share ids. */
  startAt: Date;
  /** Number of repositories with traffic. Default: 6. */
  repositories?: number;
  /** Natural seconds per second of lifecycle time. Default: 1, where a run takes 30 s to 15 min. */
  timeScale?: number;
  mix?: MixOptions;
  /** Base URLs of links in payloads. Default: a forge that does not exist. */
  urls?: ForgeUrls;
}

export interface Simulator {
  /** The events of the next scenario in order: a push with its runs, a pull request with its runs and reviews, a nightly run. */
  nextLifecycle(scenario?: Scenario): SimulatedEvent[];
  /**
   * Endless events of `open` lifecycles at a time (default 40), ordered by time. Lifecycle time advances as events are taken.
   */
  stream(options?: { open?: number }): Generator<SimulatedEvent, never>;
  /**
   * Endless events at `rate` a second from `startAt` on: the n-th event happens shortly before `startAt + n / rate`. The number
   * of open lifecycles follows from the rate.
   */
  liveStream(options: { rate: number }): Generator<SimulatedEvent, never>;
}

const placeholderUrls: ForgeUrls = {
  web: 'https://forge.test',
  api: 'https://api.forge.test',
  avatars: 'https://avatars.forge.test',
};

/** Creates consistent webhooks of a fictional organization. The methods of a simulator share one random sequence. */
export function createSimulator(options: SimulatorOptions): Simulator {
  const { seed, timeScale = 1, repositories = 6, urls = placeholderUrls } = options;
  const startAt = options.startAt.getTime();
  const world = createWorld({ seed, startAt, timeScale, repositories, urls, mix: resolveMix(options.mix) });
  const deliveryId = createDeliveryIds(createRandom(`${seed}/${startAt}`).hex(12));
  let clock = startAt;

  const plan = (at: number, scenario: Scenario = world.drawScenario()): PlannedDelivery[] =>
    inOrder(planScenario(world, scenario, at)).map((event) => ({
      ...event,
      deliveryId: deliveryId(event.at),
    }));

  return {
    nextLifecycle: (scenario) => {
      const lifecycle = plan(clock, scenario).map(buildEvent);
      clock += world.elapse(1, 20);
      return lifecycle;
    },
    stream: ({ open = 40 } = {}) =>
      streamConcurrent(plan, { startAt, open, spacingMs: world.elapse(1.5, 1.5) }),
    liveStream: ({ rate }) =>
      streamAtRate(plan, {
        startAt,
        rate,
        burst: () => (world.random.chance(0.08) ? world.random.int(3, 6) : 1),
      }),
  };
}

/** Orders events by time and gives each its own millisecond. */
function inOrder(events: readonly PlannedEvent[]): PlannedEvent[] {
  let last = -Infinity;
  return events
    .toSorted((a, b) => a.at - b.at)
    .map((event) => ({ ...event, at: (last = Math.max(Math.ceil(event.at), last + 1)) }));
}
