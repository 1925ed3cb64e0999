import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { makeFailureLog } from './failure-log.ts';

interface Line {
  level: number;
  msg: string;
  err?: { stack?: string };
  failures?: number;
  seconds?: number;
  problem?: string;
  task?: string;
}

function start() {
  const lines: Line[] = [];
  const time = { ms: 0 };
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const failures = makeFailureLog(
    log,
    { message: 'watering failed', facts: { task: 'plants' } },
    () => time.ms,
  );
  const take = () => lines.splice(0);
  return { failures, time, take };
}

const diskFull = (): Error => Object.assign(new Error('no space left'), { code: '53100' });

test('a failure every second for two hours is logged once with its stack, then as four counts', () => {
  const { failures, time, take } = start();
  for (let second = 0; second < 7200; second += 1) {
    failures.failed(diskFull());
    time.ms += 1000;
  }
  const [first, ...counts] = take();
  assert.match(first?.err?.stack ?? '', /no space left/);
  assert.deepEqual([first?.msg, first?.task], ['watering failed', 'plants']);
  assert.deepEqual(
    counts.map(({ failures, seconds }) => [failures, seconds]),
    [
      [61, 60],
      [301, 300],
      [1261, 1260],
      [4861, 4860],
    ],
  );
  for (const { err, problem, task, msg } of counts)
    assert.deepEqual(
      [err, problem, task, msg],
      [undefined, 'no space left', 'plants', 'watering failed repeatedly'],
    );
});

test('a recovery is logged once with the count, and the next failure is a new one', () => {
  const { failures, time, take } = start();
  failures.failed(diskFull());
  failures.failed(diskFull());
  take();
  time.ms += 60_000;
  failures.succeeded();
  failures.succeeded();
  const [recovery, ...others] = take();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [recovery?.msg, recovery?.failures, recovery?.seconds],
    ['watering failed, now succeeds', 2, 0],
  );
  failures.failed(diskFull());
  assert.match(take()[0]?.err?.stack ?? '', /no space left/);
});

test('a failure long after a success is a new one, also if nothing succeeded in the meantime', () => {
  const { failures, time, take } = start();
  failures.failed(diskFull());
  failures.succeeded();
  time.ms += 60_000;
  failures.failed(diskFull());
  assert.deepEqual(
    take().map(({ msg }) => msg),
    ['watering failed', 'watering failed, now succeeds', 'watering failed'],
  );
});

test('work that fails every other second has not recovered', () => {
  const { failures, time, take } = start();
  for (let second = 0; second < 50; second += 1) {
    if (second % 2 === 0) failures.failed(diskFull());
    else failures.succeeded();
    time.ms += 1000;
  }
  assert.equal(take().length, 1);
});

test('another cause is logged in full, up to five, and an id in a message is no cause', () => {
  const { failures, take } = start();
  for (let index = 0; index < 20; index += 1)
    failures.failed(Object.assign(new Error(`row ${index}`), { code: 'EPIPE' }));
  assert.equal(take().length, 1);
  for (let index = 0; index < 20; index += 1)
    failures.failed(Object.assign(new Error('other'), { code: `E${index}` }));
  assert.equal(take().length, 4);
});
