import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { startKillableProduct } from '#test/support/product/killable-product.ts';
import { checkWorld, enterWorld, retentionDays } from './check-world.ts';
import { explain, headOf, hunt, interruptions } from './hunt.ts';
import { kinds } from './world/kinds.ts';
import { makeWorld } from './world/make-world.ts';

/** `npm run truth` sets these. */
const { values } = parseArgs({
  args: process.env['FORGEWATCH_TRUTH']?.split('\n') ?? [],
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    kind: { type: 'string' },
    // Without the smallest world.
    quick: { type: 'boolean' },
  },
});
const { minutes, kind, quick = false } = values;
const seed = Number(values.seed ?? 1);
const tell = (text: string): void => void process.stdout.write(`${text}\n`);

const product = await startKillableProduct({
  RUN_RETENTION_DAYS: String(retentionDays),
  // A killed worker's messages come back after its lease.
  WORKER_TIMEOUT_SECONDS: '1',
});

if (minutes !== undefined)
  test('the product shows what happened in worlds of any seed', async () => {
    tell(`from seed ${seed}`);
    assert.equal(await hunt(product, { seed, minutes: Number(minutes), kind, tell }), 0, 'see above');
  });
else if (kind !== undefined)
  test(`the product shows what happened in the world ${kind}, seed ${seed}`, async () => {
    const world = makeWorld(kind, seed, Date.now());
    const differences = await checkWorld(product, world);
    if (differences.length > 0)
      assert.fail(`${headOf(world, differences)}\n${quick ? '' : await explain(product, world)}`);
  });
else
  test(
    'the product shows what happened in each world of a forge, though it is killed in the middle',
    { concurrency: 5 },
    async (t) => {
      const worlds = Object.entries(kinds)
        .filter(([, { isNotInSuite }]) => isNotInSuite !== true)
        .map(([each]) => makeWorld(each, seed, Date.now()));
      const onPosted = interruptions(
        product,
        worlds.reduce((sum, { posts }) => sum + posts.length, 0),
        // Before the first notification is sent: one that is interrupted waits for a minute.
        1 / 10,
      );
      await Promise.all(
        worlds.map((world) =>
          t.test(world.name, async () => {
            const entered = await enterWorld(product, world, onPosted);
            const differences = await entered.differences();
            entered.close();
            assert.equal(differences.join('\n'), '', `at ${world.dialect}`);
          }),
        ),
      );
    },
  );
