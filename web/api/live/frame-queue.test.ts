import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameQueue } from './frame-queue.ts';

function setUp(limit = 10) {
  const frames: (() => void)[] = [];
  const batches: number[][] = [];
  let overflows = 0;
  const queue = frameQueue<number>({
    nextFrame: (run) => void frames.push(run),
    limit,
    onBatch: (items) => void batches.push(items),
    onOverflow: () => (overflows += 1),
  });
  const frame = (): void => frames.splice(0).forEach((run) => run());
  return { queue, frame, batches, overflows: () => overflows };
}

test('updates between two frames are delivered together and in order', () => {
  const { queue, frame, batches } = setUp();
  queue.push(1);
  queue.push(2);
  assert.deepEqual(batches, []);
  frame();
  queue.push(3);
  frame();
  frame();
  assert.deepEqual(batches, [[1, 2], [3]]);
});

test('a page without frames keeps a bounded number of updates and reports an overflow', () => {
  const { queue, frame, batches, overflows } = setUp(3);
  for (let item = 1; item <= 5; item += 1) queue.push(item);
  assert.equal(overflows(), 1);
  frame();
  assert.deepEqual(batches, [[5]]);
});
