import type { Delivery, Fact } from './world/facts.ts';
import type { World } from './world/make-world.ts';

type Check = (world: World) => Promise<string[]>;

/** Each try posts a world and, where nothing differs any more, waits for no difference. */
const mostTries = 25;
const mostMs = 120_000;

/** Leaves out runs and pull requests as long as something still differs. Undefined when nothing differs any more. */
export async function shrinkWorld(
  world: World,
  check: Check,
): Promise<{ lines: string[]; differences: string[] } | undefined> {
  let differences = await check(world);
  if (differences.length === 0) return undefined;
  let { posts } = world;
  let tries = 0;
  const until = Date.now() + mostMs;
  const mayTry = (): boolean => tries < mostTries && Date.now() < until;
  const things = [...new Set(posts.map(({ fact }) => thingOf(fact)))];
  for (let size = Math.ceil(things.length / 2); size >= 1 && mayTry(); size = Math.floor(size / 2)) {
    for (let start = 0; start < things.length && mayTry();) {
      const without = new Set(things.slice(start, start + size));
      const fewer = posts.filter(({ fact }) => !without.has(thingOf(fact)));
      tries += 1;
      const found = fewer.length === 0 ? [] : await check({ ...world, posts: fewer });
      if (found.length === 0) start += size;
      else {
        [posts, differences] = [fewer, found];
        things.splice(start, size);
      }
    }
  }
  return { lines: posts.map(lineOf), differences };
}

/** Events of one thing stay together: a run that the forge never reported is nobody's to show. */
function thingOf(fact: Fact): string {
  const name = fact.kind === 'pull' ? `pull ${fact.number}` : `run ${fact.runId}`;
  return `${fact.repository.id} ${name}`;
}

function lineOf({ order, fact }: Delivery): string {
  const place = `${String(order).padStart(4)}  ${fact.repository.fullName}`;
  if (fact.kind === 'pull') return `${place} pull request ${fact.number} of ${fact.branch}: ${fact.state}`;
  const state = `attempt ${fact.attempt}: ${fact.conclusion ?? fact.status}`;
  return fact.kind === 'run'
    ? `${place} ${fact.workflow.name} on ${fact.branch}, run ${fact.runId}, ${state}`
    : `${place} run ${fact.runId}, job ${fact.jobId} (${fact.name}), ${state}`;
}
