import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  at,
  eventOf,
  integrationId,
  jobPayload,
  pullRequestPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { readObjects } from './read-objects.ts';
import { readRun } from './read-run.ts';

const { database, record } = await createMonitoringStore();

function read(runId = 100) {
  return database.api.withScope({ integrationId }, (tx) => readRun(tx, integrationId, runId));
}

test('a run contains all its attempts, the newest from its own row', async () => {
  await record(
    eventOf('workflow_run', runPayload({ run_attempt: 3, status: 'in_progress', run_started_at: at(300) })),
    eventOf(
      'workflow_run',
      runPayload({
        run_attempt: 1,
        status: 'completed',
        conclusion: 'failure',
        run_started_at: at(0),
        updated_at: at(60),
      }),
    ),
    eventOf(
      'workflow_run',
      runPayload({
        run_attempt: 2,
        status: 'completed',
        conclusion: 'cancelled',
        triggering_actor: { login: 'ann' },
      }),
    ),
  );
  const detail = await read();
  assert.equal(detail?.run.attempt, 3);
  assert.deepEqual(
    detail.attempts.map(({ attempt, status, conclusion, triggeringActor, durationMs }) => [
      attempt,
      status,
      conclusion,
      triggeringActor,
      durationMs,
    ]),
    [
      [1, 'completed', 'failure', null, 60_000],
      [2, 'completed', 'cancelled', 'ann', null],
      [3, 'in_progress', null, null, null],
    ],
  );
});

test('jobs of a run are ordered by attempt and creation, and equal those of updates and catch-ups', async () => {
  const steps = [{ number: 1, name: 'test', status: 'in_progress', conclusion: null, started_at: at(7) }];
  const recorded = await record(
    eventOf('workflow_run', runPayload()),
    eventOf('workflow_job', jobPayload({ id: 3, run_attempt: 2 })),
    eventOf('workflow_job', jobPayload({ id: 1, created_at: at(9) })),
    eventOf(
      'workflow_job',
      jobPayload({ id: 2, status: 'in_progress', started_at: at(6), labels: ['a b', 'c"d'], steps }),
    ),
  );
  const jobs = (await read())?.jobs ?? [];
  assert.deepEqual(
    jobs.map(({ jobId }) => jobId),
    [2, 1, 3],
  );
  const pushed = recorded.at(-1);
  assert.ok(pushed?.outcome === 'stored');
  assert.deepEqual(pushed.updates[0]?.data, jobs[0]);
  const pointer = { type: 'workflow_job', integrationId, runId: 100, attempt: 1, jobId: 2 } as const;
  assert.deepEqual(await database.api.withScope({ integrationId }, (tx) => readObjects(tx, [pointer])), [
    jobs[0],
  ]);
});

test('a run contains the pull requests it names, or those with its head when it comes from a fork', async () => {
  await record(
    eventOf('workflow_run', runPayload({ id: 1, head_sha: 'abc', pull_requests: [{ number: 5 }] })),
    eventOf('workflow_run', runPayload({ id: 2, head_sha: 'abc', pull_requests: [] })),
    eventOf('workflow_run', runPayload({ id: 3 })),
    eventOf(
      'pull_request',
      pullRequestPayload({ number: 5, head: { sha: 'other' }, user: { login: 'ann' } }),
    ),
    eventOf('pull_request', pullRequestPayload({ number: 6, head: { sha: 'abc' } })),
  );
  assert.deepEqual((await read(1))?.pullRequests, [
    { number: 5, title: 'One', state: 'open', author: 'ann', url: null },
  ]);
  assert.deepEqual(
    (await read(2))?.pullRequests.map(({ number }) => number),
    [6],
  );
  assert.deepEqual((await read(3))?.pullRequests, []);
});

test('readRun returns undefined without a run event, even with stored jobs, and for another integration', async () => {
  await record(
    eventOf('workflow_job', jobPayload({ run_id: 7 })),
    eventOf('workflow_run', runPayload({ id: 8 })),
  );
  assert.equal(await read(7), undefined);
  const other = '22222222-2222-4222-8222-222222222222';
  assert.equal(
    await database.api.withScope({ integrationId: other }, (tx) => readRun(tx, other, 8)),
    undefined,
  );
});

test('jobs whose completion did not arrive end with their attempt', async () => {
  const times = { run_started_at: at(0), updated_at: at(60) };
  const ended = { id: 500, status: 'completed', conclusion: 'cancelled' };
  await record(
    eventOf('workflow_job', jobPayload({ id: 1, run_id: 500 })),
    eventOf('workflow_job', jobPayload({ id: 2, run_id: 500, status: 'in_progress', started_at: at(10) })),
    eventOf('workflow_run', runPayload({ ...ended, ...times })),
    eventOf('workflow_job', jobPayload({ id: 3, run_id: 500, run_attempt: 2 })),
  );
  const shown = async () =>
    (await read(500))?.jobs.map(({ attempt, status, conclusion, completedAt, durationMs }) => [
      attempt,
      status,
      conclusion,
      completedAt,
      durationMs,
    ]);
  const end = '2026-01-05T10:01:00.000Z';
  const ofFirst = [
    [1, 'completed', 'cancelled', end, 0],
    [1, 'completed', 'cancelled', end, 50_000],
  ];
  assert.deepEqual(await shown(), [...ofFirst, [2, 'queued', null, null, null]]);
  const third = {
    id: 500,
    run_attempt: 3,
    status: 'in_progress',
    run_started_at: at(100),
    updated_at: at(100),
  };
  await record(eventOf('workflow_run', runPayload(third)));
  assert.deepEqual(await shown(), [...ofFirst, [2, 'completed', null, '2026-01-05T10:01:40.000Z', null]]);
});
