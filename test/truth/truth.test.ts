import { test } from 'node:test';
import { startKillableProduct } from '#test/support/product/killable-product.ts';
import { checkWorld } from './check-world.ts';
import { kinds } from './world/kinds.ts';
import { makeWorld } from './world/make-world.ts';

const product = await startKillableProduct();

/** A few worlds of each kind. `npm run truth` makes others. */
const seedsPerKind = 4;

test('the product shows what happened in each world of a forge', async (t) => {
  for (const kind of Object.keys(kinds))
    for (let seed = 1; seed <= seedsPerKind; seed += 1)
      await t.test(`${kind}, seed ${seed}`, () => checkWorld(product, makeWorld(kind, seed, Date.now())));
});
