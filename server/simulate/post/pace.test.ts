import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace, pause } from './pace.ts';

/** A clock that only `sleep` advances, so that a minute takes no time. */
function fakeTime() {
  let at = 1000;
  return {
    now: () => at,
    sleep: async (ms: number) => {
      at += ms;
    },
    pass: (ms: number) => {
      at += ms;
    },
  };
}

const never = new AbortController().signal;

async function turnsUntilOver(turn: () => Promise<boolean>): Promise<number> {
  let turns = 0;
  while (await turn()) turns += 1;
  return turns;
}

test('a minute at 200 a second is 12,000 turns', async () => {
  const time = fakeTime();
  const turn = createPace({ rate: 200, endsAfterMs: 60_000, signal: never, ...time });
  assert.equal(await turnsUntilOver(turn), 12_000);
});

test('late turns catch up a tenth of a second and no more', async () => {
  const time = fakeTime();
  const turn = createPace({ rate: 100, endsAfterMs: 10_000, signal: never, ...time });
  await turn();
  time.pass(5000);
  const before = time.now();
  for (let index = 0; index < 10; index += 1) await turn();
  assert.equal(time.now(), before, 'ten turns at once catch up 100 ms');
  await turn();
  await turn();
  assert.ok(time.now() > before, 'then the rate holds again');
});

test('turns end at the given time, also without a waiting caller', async () => {
  const time = fakeTime();
  const turn = createPace({ endsAfterMs: 1000, signal: never, ...time });
  assert.equal(await turn(), true);
  time.pass(1000);
  assert.equal(await turn(), false);
});

test('an abort ends the wait for a turn, and there is no further one', async () => {
  const stop = new AbortController();
  const turn = createPace({ rate: 0.001, endsAfterMs: Infinity, signal: stop.signal });
  assert.equal(await turn(), true);
  const second = turn();
  stop.abort();
  assert.equal(await second, false);
  await pause(1_000_000, stop.signal);
});
