import { createDeliveryIds } from './delivery-id.ts';
import type { PlannedEvent, SimulatedEvent } from './event.ts';
import { createWorld } from './plan/world.ts';
import { stories, type StoryName } from './plan/stories.ts';

export interface SimulatorOptions {
  /** The same seed and options give the same bytes. */
  seed: string | number;
  /** Time of the first event of a stream. Ids depend on it, so that two simulations do not share ids. */
  startAt: Date;
  /** Natural seconds per second of a story. Default: 1, where a run takes 30 s to 15 min. */
  timeScale?: number;
  /** Uses the repositories and ids that are reserved for sample data, which can be removed again. */
  isSample?: boolean;
}

export interface Simulator {
  /** The events of a story in order, by default of a random one. It begins at `at` (default: `startAt`). */
  story(name?: StoryName, at?: number): SimulatedEvent[];
  /**
   * Endless events of concurrent stories in order: the n-th event happens shortly before `startAt + n / rate`, with the rate in
   * events a second. When no open story has an event due, a new one begins.
   */
  stream(options: { rate: number }): Generator<SimulatedEvent, never>;
}

interface Planned extends PlannedEvent {
  deliveryId: string;
}

const shares = Object.entries(stories).flatMap(([name, { weight }]) =>
  Array.from({ length: weight }, () => name as StoryName),
);

/** Creates consistent webhooks of a fictional organization. The methods of a simulator share one random sequence. */
export function createSimulator({ seed, startAt, timeScale = 1, isSample }: SimulatorOptions): Simulator {
  const start = startAt.getTime();
  const world = createWorld(String(seed), start, timeScale, isSample);
  const deliveryId = createDeliveryIds(world.newHex(12));
  const plan = (name: StoryName | undefined, at: number): Planned[] =>
    stories[name ?? world.random.pick(shares)]
      .plan(world, at)
      .toSorted((a, b) => a.at - b.at)
      .map(({ at: exactly, build: content }) => {
        const eventAt = Math.ceil(exactly);
        return { at: eventAt, build: content, deliveryId: deliveryId(eventAt) };
      });
  return {
    story: (name, at = start) => plan(name, at).map(build),
    *stream({ rate }) {
      /** The latest event first, so that the next one is at the end. */
      const open: Planned[][] = [];
      for (let sent = 0; ; sent += 1) {
        const dueAt = start + Math.floor((sent * 1000) / rate);
        if (nextTime(open.at(-1)) > dueAt) insert(open, plan(undefined, dueAt).reverse());
        const story = open.pop() ?? [];
        const event = story.pop();
        if (story.length > 0) insert(open, story);
        if (event !== undefined) yield build(event);
      }
    },
  };
}

function build({ build: content, deliveryId: id, at }: Planned): SimulatedEvent {
  return { ...content(), deliveryId: id, at };
}

function nextTime(story: readonly Planned[] | undefined): number {
  return story?.at(-1)?.at ?? Infinity;
}

/** Keeps `open` sorted by the time of the next event, the latest first. */
function insert(open: Planned[][], story: Planned[]): void {
  const at = nextTime(story);
  const place = open.findIndex((other) => nextTime(other) < at);
  open.splice(place === -1 ? open.length : place, 0, story);
}
