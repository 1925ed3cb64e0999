import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longQueues, type QueuedJob } from './long-queues.ts';
import { missingRuns, type StartedRun } from './missing-runs.ts';
import { slowerRuns, type TimedRun } from './slower-runs.ts';

const hour = 3_600_000;
const day = 24 * hour;
const minute = 60_000;
const place = { repository: 'acme/site', workflow: 'CI', branch: 'main', url: null, attempt: 1 };

const started = (hours: readonly number[]): StartedRun[] =>
  hours.map((at, index) => ({ ...place, runId: index + 1, event: 'schedule', at: at * hour }));

test('a workflow did not run when its next run is later than the given hours', () => {
  const runs = started([0, 20, 70, 75]);
  const [gap, late] = missingRuns(runs, 24, 100 * hour);
  assert.deepEqual([gap?.from, gap?.to, gap?.runId], [44 * hour, 70 * hour, 2]);
  assert.deepEqual([late?.from, late?.to, late?.runId], [99 * hour, null, 4]);
  assert.equal(missingRuns(runs, 24, 98 * hour).length, 1);
});

test('the rhythm of scheduled runs includes pauses that repeat, but not an outage', () => {
  const week = (start: number): number[] => [0, 24, 48, 72, 96].map((at) => start + at);
  const weekdays = [...week(0), ...week(168), ...week(336)];
  const friday = (336 + 96) * hour;
  const lasting = (now: number) => missingRuns(started(weekdays), null, now).filter(({ to }) => to === null);
  assert.deepEqual(lasting(friday + 72 * hour), []);
  assert.equal(lasting(friday + 92 * hour).length, 1);
  const daily = [0, 24, 48, 72, 96, 120, 200, 224, 248];
  const [outage, missing] = missingRuns(started(daily), null, (248 + 31) * hour);
  assert.equal(outage?.to, 200 * hour);
  assert.deepEqual([missing?.from, missing?.to], [(248 + 30) * hour + 15 * minute, null]);
  assert.deepEqual(missingRuns(started([0, 24, 48]), null, 500 * hour), [], 'with too few');
});

function queued(id: number, labels: string[], from: number, to: number | null): QueuedJob {
  const endedAt = to === null ? null : to * minute;
  return { ...place, runId: id, jobId: id, name: 'build', labels, queuedAt: from * minute, endedAt };
}

test('jobs that wait too long for the same label are one episode', () => {
  const jobs = [
    queued(1, ['gpu', 'linux'], 0, 30),
    queued(2, ['linux', 'GPU'], 10, 60),
    queued(3, ['gpu'], 100, null),
    queued(4, ['linux'], 0, 5),
  ];
  const labelled = longQueues(jobs, { minutes: 15, labels: ['gpu'] }, 120 * minute);
  const times = labelled.map(({ subject, from, to, runId }) => [subject, from, to, runId]);
  assert.deepEqual(times, [
    ['gpu', 15 * minute, 60 * minute, 1],
    ['gpu', 115 * minute, null, 3],
  ]);
  const all = longQueues(jobs, { minutes: 15, labels: [] }, 120 * minute);
  assert.deepEqual(all.map(({ subject }) => subject).sort(), ['GPU, linux', 'gpu', 'gpu, linux']);
  assert.deepEqual(
    longQueues([queued(1, ['gpu'], 0, null)], { minutes: 15, labels: [] }, 2 * day)[0]?.to,
    day,
  );
});

const timed = (seconds: readonly number[]): TimedRun[] =>
  seconds.map((each, index) => ({
    ...place,
    runId: index + 1,
    jobId: null,
    job: null,
    endedAt: index * hour,
    ms: each * 1000,
  }));

test('a workflow got slower while the median of its last runs exceeds the usual one', () => {
  const usual = Array<number>(20).fill(60);
  const slow = Array<number>(5).fill(120);
  const options = { percent: 50, runs: 5 };
  const episodes = slowerRuns(timed([...usual, ...slow, ...usual]), options);
  assert.deepEqual(
    episodes.map(({ runId, to, text }) => [runId, to, text]),
    [[23, 27 * hour, 'Takes 2 min instead of 1 min']],
  );
  assert.deepEqual(slowerRuns(timed([...usual, 120, 120, 60, 60, 60]), options), [], 'two outliers');
  assert.deepEqual(slowerRuns(timed([...usual, ...slow]), { percent: 150, runs: 5 }), []);
  const tiny = timed([...Array<number>(20).fill(1), ...Array<number>(5).fill(3)]);
  assert.deepEqual(slowerRuns(tiny, options), [], 'two seconds matter to nobody');
});
