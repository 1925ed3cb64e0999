import type { Delivery, Dialect, RunFact } from './facts.ts';
import { kinds, tellStory } from './kinds.ts';
import { deliveryOf } from './payloads.ts';
import { randomOf, type Random } from './random.ts';

export interface World {
  name: string;
  kind: string;
  seed: number;
  dialect: Dialect;
  /** In the order in which they are posted. A delivery may be there twice, and some are lost. */
  posts: Delivery[];
  /** There is a notification rule about all failures. */
  hasRule: boolean;
  /** Workflows that a person hides in the end. */
  hidden: Pick<RunFact, 'repository' | 'workflow'>[];
}

/** How often a delivery is late, comes twice or is lost. */
interface Disorder {
  late: number;
  doubled: number;
  lost: number;
}

const calm: Disorder = { late: 0, doubled: 0, lost: 0 };
const disorders: readonly Disorder[] = [
  calm,
  { late: 0.15, doubled: 0.15, lost: 0 },
  { late: 0.4, doubled: 0.2, lost: 0.08 },
];

/** The same kind and seed make the same world, with the end of its time at `now`. */
export function makeWorld(kind: string, seed: number, now: number): World {
  const random = randomOf(seed);
  const { dialect, events, hidden } = tellStory(kind, seed, random, now);
  const inOrder = events
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, fact }, order) => deliveryOf(dialect, fact, at, order));
  // Old Gitea counts no attempts, and its events carry no time: nobody could put them in order.
  const disorder = dialect === 'old gitea' ? { ...calm, doubled: 0.1 } : random.pick(disorders);
  return {
    name: `${kind} ${seed}`,
    kind,
    seed,
    dialect,
    posts: disarrange(inOrder, disorder, random, kinds[kind]?.areRunsLate === true),
    hasRule: kinds[kind]?.isWithoutRule !== true,
    hidden: [...hidden].map(({ repository, ...workflow }) => ({ repository, workflow })),
  };
}

function disarrange(
  deliveries: readonly Delivery[],
  disorder: Disorder,
  random: Random,
  areRunsLate: boolean,
): Delivery[] {
  const kept = deliveries.filter(
    (delivery) => isOnlyNewsOf(delivery, deliveries) || !random.chance(disorder.lost),
  );
  const placed = kept.flatMap((delivery, index) => {
    const isLateRun = areRunsLate && delivery.fact.kind === 'run';
    const place =
      index +
      (random.chance(disorder.late) ? random.between(1, 15) : 0) +
      (isLateRun ? random.between(5, 25) : 0);
    const again = random.chance(disorder.doubled) ? [{ delivery, place: place + random.between(0, 30) }] : [];
    return [{ delivery, place }, ...again];
  });
  return placed.toSorted((one, other) => one.place - other.place).map(({ delivery }) => delivery);
}

/** The last event of a run is never lost: a run that the forge never reported is nobody's to show. */
function isOnlyNewsOf({ fact, order }: Delivery, deliveries: readonly Delivery[]): boolean {
  if (fact.kind !== 'run') return false;
  const ofRun = ({ fact: other }: Delivery): boolean =>
    other.kind === 'run' && other.runId === fact.runId && other.repository.id === fact.repository.id;
  return deliveries.findLast(ofRun)?.order === order;
}
