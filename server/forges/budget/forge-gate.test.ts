import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { RateLimited } from '#server/forges/errors.ts';
import { takePlace } from './budget-store.ts';
import { makeForgeGate } from './forge-gate.ts';

const database = await createTestDatabase();
const worker = makeForgeGate({ db: database.worker });
const otherWorker = makeForgeGate({ db: database.worker });
const api = makeForgeGate({ db: database.api });
const inSeconds = (seconds: number) => String(Math.ceil(Date.now() / 1000) + seconds);

const limit = (remaining: number) => ({
  status: 200,
  headers: {
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': inSeconds(600),
  },
});

test('background calls of a connection run one after the other, in one process and in two', async () => {
  let inFlight = 0;
  let most = 0;
  const call = async (gate: typeof worker) => {
    const leave = await gate.enter('one', 'background');
    most = Math.max(most, (inFlight += 1));
    await new Promise((done) => setImmediate(done));
    inFlight -= 1;
    await leave();
  };
  await Promise.all([worker, otherWorker, worker, otherWorker, worker].map(call));
  assert.equal(most, 1);
});

test('a call in flight delays neither interactive calls nor another connection', async () => {
  const leave = await worker.enter('busy', 'background');
  await (
    await api.enter('busy', 'interactive')
  )();
  await (
    await otherWorker.enter('idle', 'background')
  )();
  await leave();
});

test('the last fifth of a rate limit is left to interactive calls', async () => {
  await (
    await worker.enter('limited', 'background')
  )(limit(201));
  await (
    await worker.enter('limited', 'background')
  )(limit(200));
  await assert.rejects(worker.enter('limited', 'background'), (error) => {
    assert.ok(error instanceof RateLimited);
    assert.ok(error.waitMs! > 500_000 && error.waitMs! <= 601_000, String(error.waitMs));
    return true;
  });
  await (
    await api.enter('limited', 'interactive')
  )(limit(0));
  await assert.rejects(api.enter('limited', 'interactive'), RateLimited);
});

test('a forge that names the time of the next request gets none before it', async () => {
  const answer = { status: 429, headers: { 'retry-after': '300' } };
  await (
    await worker.enter('blocked', 'background')
  )(answer);
  await assert.rejects(otherWorker.enter('blocked', 'background'), RateLimited);
  await assert.rejects(api.enter('blocked', 'interactive'), RateLimited);
});

test('a call whose process died gives its place up after its time', async () => {
  await takePlace(database.worker, 'dead', 0, 1);
  await (
    await otherWorker.enter('dead', 'background')
  )();
});

test('a kept place lets one process call again and again, and another one afterwards', async () => {
  const leave = worker.keepPlace('kept');
  const order: string[] = [];
  const call = async (gate: typeof worker, name: string) => {
    const end = await gate.enter('kept', 'background');
    order.push(name);
    await end();
  };
  await call(worker, 'first');
  const other = call(otherWorker, 'other');
  await call(worker, 'second');
  await call(worker, 'third');
  await leave();
  await other;
  assert.deepEqual(order, ['first', 'second', 'third', 'other']);
});

test('a kept place obeys the rate limit, which others see when it is left', async () => {
  const leave = worker.keepPlace('kept-limited');
  for (const remaining of [202, 201, 200])
    await (
      await worker.enter('kept-limited', 'background')
    )(limit(remaining));
  await assert.rejects(worker.enter('kept-limited', 'background'), RateLimited);
  await leave();
});

test('a call that outlives the keeping of its place gives it up at its end', async () => {
  const leave = worker.keepPlace('late');
  const end = await worker.enter('late', 'background');
  await leave();
  await end();
  await (
    await otherWorker.enter('late', 'background')
  )();
});

test('a forge that names a time in years is asked again after a day', async () => {
  const years = String(10 ** 12);
  await (
    await worker.enter('years', 'background')
  )({ status: 429, headers: { 'retry-after': years } });
  await assert.rejects(worker.enter('years', 'background'), waitsAtMostADay);
  const never = { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2147483647' };
  await (
    await worker.enter('far', 'background')
  )({ status: 200, headers: never });
  await assert.rejects(worker.enter('far', 'background'), waitsAtMostADay);
});

function waitsAtMostADay(error: unknown): boolean {
  assert.ok(error instanceof RateLimited, String(error));
  return error.waitMs! > 80_000_000 && error.waitMs! <= 86_400_000;
}
