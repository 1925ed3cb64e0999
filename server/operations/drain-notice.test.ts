import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDrainNotice } from './drain-notice.ts';

function makeNotice(workerTimeoutMs = 30_000) {
  const time = { ms: 0 };
  const waits: number[] = [];
  const wait = async (ms: number): Promise<void> => void waits.push(ms);
  return { notice: makeDrainNotice(workerTimeoutMs, { now: () => time.ms, wait }), time, waits };
}

test('a notice is red at once, and waits for a load balancer that asked lately', async () => {
  const { notice, time, waits } = makeNotice();
  assert.equal(notice.read(), false);
  time.ms = 29_000;
  const given = notice.give({ isUrgent: false });
  assert.equal(notice.read(), true);
  await given;
  assert.deepEqual(waits, [5_000]);
});

test('a notice does not wait when nobody asked lately, nor when somebody at a terminal waits', async () => {
  const { notice, time, waits } = makeNotice();
  await notice.give({ isUrgent: false });
  notice.read();
  await notice.give({ isUrgent: true });
  time.ms = 31_000;
  await notice.give({ isUrgent: false });
  assert.deepEqual(waits, []);
});

test('a notice waits for a quarter of the worker timeout at most', async () => {
  const { notice, waits } = makeNotice(2_000);
  notice.read();
  await notice.give({ isUrgent: false });
  assert.deepEqual(waits, [500]);
});
