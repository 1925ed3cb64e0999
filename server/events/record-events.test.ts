import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  at,
  eventOf,
  integrationId,
  jobPayload,
  pullRequestPayload,
  reviewPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createMonitoringStore, outcomesOf } from '#test/support/data/reading/monitoring-store.ts';
import type { MonitoringEvent } from './parsing/parse-event.ts';
import { recordEvents } from './record-events.ts';
import { storedRuns } from '#test/support/data/reading/stored-runs.ts';
import { countRows, readRows } from '#test/support/database/rows.ts';

const { database, record, row, empty } = await createMonitoringStore();

const run = (fields = {}, deliveredAt = 0, rest = {}) =>
  eventOf('workflow_run', runPayload(fields, rest), deliveredAt);
const job = (fields = {}, deliveredAt = 0, rest = {}) =>
  eventOf('workflow_job', jobPayload(fields, rest), deliveredAt);

test('a finished job stays finished in every order of events seen in outages', async () => {
  const life = [
    job({ status: 'queued' }, 1),
    job({ status: 'waiting' }, 2, { deployment: { updated_at: at(1) } }),
    job({ status: 'queued' }, 3, { deployment: { updated_at: at(2) } }),
    job({ status: 'in_progress', started_at: at(20), runner_name: 'one', labels: ['linux'] }, 4),
    job(
      {
        status: 'completed',
        conclusion: 'success',
        started_at: at(20),
        completed_at: at(80),
        runner_name: 'one',
      },
      5,
    ),
  ];
  for (const order of fc.sample(fc.shuffledSubarray(life, { minLength: 5 }), { numRuns: 20, seed: 1 })) {
    await empty();
    for (const event of order) await record(event);
    const { status, conclusion, runner_name, labels } = await row('workflow_jobs');
    assert.deepEqual(
      { status, conclusion, runner_name, labels },
      {
        status: 'completed',
        conclusion: 'success',
        runner_name: 'one',
        labels: ['linux'],
      },
    );
  }
});

test('a late `waiting` event does not hold a job that its environment released', async () => {
  const waiting = job({ status: 'waiting' }, 2, { deployment: { updated_at: at(1) } });
  const released = job({ status: 'queued' }, 1, { deployment: { updated_at: at(2) } });
  assert.deepEqual(outcomesOf(await record(released, waiting)), ['stored', 'older_update']);
  assert.equal((await row('workflow_jobs'))['status'], 'queued');
});

test('a stale event still contributes facts that only grow', async () => {
  const steps = [{ number: 1, name: 'test', status: 'completed', conclusion: 'success' }];
  await record(job({ status: 'completed', conclusion: 'failure', completed_at: at(90), steps: [] }, 5));
  const late = job(
    {
      status: 'in_progress',
      started_at: at(30),
      runner_name: 'one',
      runner_group_name: 'all',
      labels: ['x'],
      steps,
    },
    4,
  );
  assert.deepEqual(outcomesOf(await record(late)), ['already_completed']);
  const [again] = await record(job({ status: 'completed', conclusion: 'failure', completed_at: at(90) }, 6));
  const update = again?.outcome === 'stored' ? again.updates[0] : undefined;
  assert.ok(update?.type === 'workflow_job');
  const { startedAt, runnerName, runnerGroup, labels, queueMs, durationMs, conclusion } = update.data;
  assert.deepEqual(
    { startedAt, runnerName, runnerGroup, labels, queueMs, durationMs, conclusion },
    {
      startedAt: '2026-01-05T10:00:30.000Z',
      runnerName: 'one',
      runnerGroup: 'all',
      labels: ['x'],
      queueMs: 30_000,
      durationMs: 60_000,
      conclusion: 'failure',
    },
  );
  assert.equal(update.data.steps.length, 1);
});

test('an event of an earlier attempt is stale for the run and completes its own attempt', async () => {
  const recorded = await record(
    run({ run_attempt: 2, status: 'in_progress' }, 5),
    run({ run_attempt: 1, status: 'completed', conclusion: 'failure', updated_at: at(60) }, 4),
    run({ run_attempt: 1, status: 'in_progress', updated_at: at(30) }, 3),
  );
  assert.deepEqual(outcomesOf(recorded), ['stored', 'earlier_attempt_updated', 'older_attempt']);
  const { attempt, status } = await row('workflow_runs');
  assert.deepEqual([attempt, status], [2, 'in_progress']);
  assert.equal((await row('workflow_run_attempts'))['conclusion'], 'failure');
});

test('a review needs no stored pull request and does not change it', async () => {
  const review = eventOf(
    'pull_request_review',
    reviewPayload({}, { pull_request: { number: 5, title: 'reduced' } }),
  );
  await record(review);
  assert.equal(await countRows(database, 'pull_requests'), 0);
  await record(eventOf('pull_request', pullRequestPayload({ merged: true })));
  await record(eventOf('pull_request_review', reviewPayload({ state: 'approved', submitted_at: at(9) }), 9));
  const { title, merged } = await row('pull_requests');
  assert.deepEqual([title, merged], ['One', true]);
});

test('a run or job that was skipped or cancelled before its start has no duration and is in no percentile', async () => {
  for (const conclusion of ['skipped', 'cancelled']) {
    await empty();
    const [stored] = await record(
      job({ status: 'completed', conclusion, started_at: at(50), completed_at: at(40), created_at: at(60) }),
    );
    assert.ok(stored?.outcome === 'stored');
    assert.equal(stored.updates[0]?.data.durationMs, 0);
    const [cell] = await readRows(database, 'hourly_rollups', { kind: 'job' });
    const { count, durations, queue_times, billable_minutes } = cell!;
    assert.deepEqual([count, durations, queue_times, billable_minutes], ['1', [], [], '0']);
  }
});

test('the rollups count a run by its newest attempt and each job once, by its final state', async () => {
  const completed = {
    status: 'completed',
    completed_at: at(95),
    started_at: at(30),
    runner_name: 'GitHub Actions 7',
  };
  await record(
    job({ ...completed, id: 1, conclusion: 'success', labels: ['linux'] }, 1),
    job({ ...completed, id: 2, conclusion: 'failure', labels: ['linux'] }, 1),
    run(
      { status: 'completed', conclusion: 'failure', run_started_at: at(0), updated_at: at(100), name: 'CI' },
      2,
    ),
    run(
      { run_attempt: 2, status: 'in_progress', run_started_at: at(200), updated_at: at(200), name: 'CI' },
      3,
    ),
  );
  await record(
    job({ ...completed, id: 2, conclusion: 'success', labels: ['linux'] }, 2),
    run(
      {
        run_attempt: 2,
        status: 'completed',
        conclusion: 'success',
        run_started_at: at(200),
        updated_at: at(260),
        name: 'CI',
      },
      4,
    ),
  );
  const rollups = await database.asOwner(
    `select kind, runner, count::int, succeeded::int, failed::int, reruns::int, billable_minutes::int, busy_ms::int,
            durations::text, queue_times::text
     from hourly_rollups where count > 0 order by kind`,
  );
  const none = {
    runner: null,
    succeeded: 2,
    failed: 0,
    reruns: 0,
    billable_minutes: 0,
    queue_times: '{}',
  };
  const jobs = {
    ...none,
    count: 2,
    billable_minutes: 4,
    busy_ms: 130_000,
    durations: '[283:283]={2}',
    queue_times: '[263:263]={2}',
  };
  const runs = {
    ...none,
    count: 1,
    succeeded: 1,
    reruns: 1,
    busy_ms: 60_000,
    durations: '[281:281]={1}',
  };
  assert.deepEqual(rollups, [
    { ...jobs, kind: 'job', runner: 'linux' },
    { ...jobs, kind: 'job_any' },
    { ...runs, kind: 'run' },
    { ...runs, kind: 'run_any' },
    {
      ...none,
      kind: 'runner',
      runner: 'GitHub Actions',
      count: 2,
      busy_ms: 130_000,
      durations: '{}',
    },
  ]);
});

test('a batch stores events of several integrations in their own rows', async () => {
  const other = '22222222-2222-4222-8222-222222222222';
  const ours = run();
  const moved = {
    ...ours,
    integrationId: other,
    row: { ...ours.row, integrationId: other },
  } as MonitoringEvent;
  assert.deepEqual(outcomesOf(await record(run(), moved)), ['stored', 'stored']);
  for (const id of [integrationId, other]) assert.equal((await storedRuns(database, id)).length, 1);
});

test('recordEvents cannot store outside the scope of the transaction', async () => {
  const other = '22222222-2222-4222-8222-222222222222';
  await assert.rejects(
    database.worker.withScope({ integrationId: other }, (tx) => recordEvents(tx, [run()])),
    { code: '42501' },
  );
});
