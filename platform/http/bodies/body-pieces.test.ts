import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { BodyPieces } from './body-pieces.ts';

async function joined(sizes: number[]): Promise<void> {
  const pieces = new BodyPieces();
  const whole = Buffer.from(Array.from({ length: sizes.reduce((a, b) => a + b, 0) }, (_, at) => at % 251));
  let at = 0;
  for (const size of sizes) pieces.add(whole.subarray(at, (at += size)));
  assert.ok(whole.equals(await pieces.join()), String(sizes.slice(0, 10)));
}

test('chunks of any size are joined in order', async () => {
  await joined([]);
  await joined([0, 1, 0]);
  await joined([10_000, 10_000, 1, 16_383, 1, 16_384, 1, 40_000, 3]);
  await joined([20_000, 5, 300_000, 7, 300_000]);
  await joined(Array<number>(70_000).fill(1));
});

test('a body does not keep the memory of other bodies', async () => {
  const pieces = new BodyPieces();
  pieces.add(Buffer.alloc(200));
  const { buffer } = await pieces.join();
  assert.equal(buffer.byteLength, 4096);
});

test('large bodies are joined one after the other', async (t) => {
  const bodies = Array.from({ length: 4 }, () => {
    const pieces = new BodyPieces();
    for (let count = 0; count < 30; count += 1) pieces.add(Buffer.allocUnsafeSlow(100_000));
    return pieces;
  });
  let ended = 0;
  let most = 0;
  const { mock } = t.mock.method(Buffer, 'allocUnsafe');
  const begun = (): number => mock.calls.filter(({ arguments: [bytes] }) => bytes === 3_000_000).length;
  const joins = bodies.map(async (pieces) => {
    await pieces.join();
    ended += 1;
    most = Math.max(most, begun() - ended);
  });
  await nextTurn();
  most = Math.max(most, begun() - ended);
  await Promise.all(joins);
  assert.equal(begun(), 4);
  assert.ok(most <= 1, `${most} at the same time`);
});

test('one-byte chunks take little more memory than their bytes', () => {
  const pieces = new BodyPieces();
  for (let count = 0; count < 400_000; count += 1) pieces.add(Buffer.allocUnsafeSlow(1));
  assert.ok(pieces.heldBytes >= 400_000);
  assert.ok(pieces.heldBytes < 1.1 * 400_000 + 16_384, `${pieces.heldBytes} bytes`);
});
