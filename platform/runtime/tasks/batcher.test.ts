import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeGate } from '#test/support/waiting/gate.ts';
import { coalesce } from './coalesce.ts';
import { makeBatcher } from './batcher.ts';

test('items of one key are processed in order, one batch at a time, within both limits', async () => {
  const batches: number[][] = [];
  let running = 0;
  const batcher = makeBatcher<number, number>({
    maxItems: 3,
    maxWeight: 10,
    weigh: (item) => item,
    work: async (items) => {
      assert.equal((running += 1), 1);
      await Promise.resolve();
      running -= 1;
      batches.push(items);
      return items.map((item) => (item === 7 ? new Error('seven') : item * 2));
    },
  });
  const results = await Promise.allSettled([1, 1, 1, 1, 20, 4, 7, 3].map(batcher.add));
  assert.deepEqual(batches, [[1, 1, 1], [1], [20], [4], [7, 3]]);
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
    [2, 2, 2, 2, 40, 8, 'Error: seven', 6],
  );
});

test('a failed batch rejects only its own items', async () => {
  const batcher = makeBatcher<string, string>({
    maxWeight: 1,
    weigh: () => 1,
    work: async ([item = '']) => {
      if (item === 'bad') throw new Error('refused');
      return [item];
    },
  });
  const [bad, good] = await Promise.allSettled([batcher.add('bad'), batcher.add('good')]);
  await batcher.idle();
  assert.deepEqual([bad.status, good.status], ['rejected', 'fulfilled']);
});

test('requests during a run share the next run', async () => {
  const gate = makeGate();
  let runs = 0;
  const task = coalesce(1, async () => {
    runs += 1;
    await gate.passed();
  });
  gate.close();
  for (let count = 0; count < 5; count += 1) task.request();
  gate.open();
  await task.idle();
  assert.equal(runs, 2);
});
