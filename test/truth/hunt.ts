import type { KillableProduct } from '#test/support/product/killable-product.ts';
import { checkWorld, enterWorld, isAged, shortenRetention } from './check-world.ts';
import { kinds } from './world/kinds.ts';
import { makeWorld, type World } from './world/make-world.ts';
import { shrinkWorld } from './shrink-world.ts';

/** Worlds of a round are posted at the same time, and the product is killed in its middle. */
const worldsPerRound = 8;

/** Makes worlds from one seed after the other until the time is up, of one kind or of all. Returns how many differ. */
export async function hunt(
  product: KillableProduct,
  {
    seed,
    minutes,
    kind,
    tell,
  }: { seed: number; minutes: number; kind: string | undefined; tell: (text: string) => void },
): Promise<number> {
  const until = Date.now() + minutes * 60_000;
  const names = kind === undefined ? Object.keys(kinds) : [kind];
  let [checked, differing] = [0, 0];
  for (let next = seed; Date.now() < until;) {
    const worlds: World[] = [];
    for (; worlds.length < worldsPerRound; next += 1)
      worlds.push(makeWorld(names[next % names.length]!, next, Date.now()));
    const found = await checkTogether(product, worlds);
    for (const [index, differences] of found.entries()) {
      checked += 1;
      if (differences.length === 0) continue;
      differing += 1;
      const world = worlds[index]!;
      tell(headOf(world, differences));
      tell(await explain(product, world));
    }
    tell(`${checked} worlds, ${differing} differ; the next seed is ${next}`);
  }
  return differing;
}

async function checkTogether(product: KillableProduct, worlds: readonly World[]): Promise<string[][]> {
  const onPosted = interruptions(
    product,
    worlds.reduce((sum, { posts }) => sum + posts.length, 0),
  );
  const entered = await Promise.all(worlds.map((world) => enterWorld(product, world, onPosted)));
  const found = await Promise.all(entered.map((world) => world.differences()));
  if (worlds.some(isAged) && found.every(({ length }) => length === 0)) {
    await shortenRetention(product);
    const after = await Promise.all(entered.map((world) => world.differencesWithShorterRetention()));
    for (const [index, differences] of after.entries()) found[index]!.push(...differences);
    await product.stopAndStart();
  }
  for (const world of entered) world.close();
  return found;
}

/** Kills the product after a share of all posts, and ends it in order after two thirds. */
export function interruptions(product: KillableProduct, posts: number, killAfter = 1 / 3): () => void {
  let posted = 0;
  return () => {
    posted += 1;
    if (posted === Math.floor(posts * killAfter)) void product.killAndStart();
    if (posted === Math.floor((2 * posts) / 3)) void product.stopAndStart();
  };
}

export function headOf({ kind, seed, dialect }: World, differences: readonly string[]): string {
  return `\n${kind}, seed ${seed}, at ${dialect}:\n${differences.slice(0, 20).join('\n')}`;
}

/** Says what differs in the smallest world that shows it, and how to see it again. */
export async function explain(product: KillableProduct, world: World): Promise<string> {
  const smaller = await shrinkWorld(world, (fewer) => checkWorld(product, fewer));
  if (smaller === undefined) return 'Without a restart in the middle nothing differs.';
  return `The smallest world with a difference, in the order of arrival:
${smaller.lines.join('\n')}
${smaller.differences.slice(0, 20).join('\n')}
npm run truth -- --kind '${world.kind}' --seed ${world.seed}`;
}
