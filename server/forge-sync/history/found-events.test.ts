import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRow } from '#server/runs/objects/run.ts';
import { eventsOfRun } from './found-events.ts';

const place = {
  integrationId: '11111111-1111-4111-8111-111111111111',
  repository: 'acme/site',
  repositoryId: 7,
  defaultBranch: 'main',
};
const minute = (count: number): string => `2026-11-20T10:${String(count).padStart(2, '0')}:00Z`;

test('an attempt of an imported run ends with the last of its jobs, whenever the forge updated it', async () => {
  const run = (attempt: number, start: number) => ({
    id: 1,
    run_attempt: attempt,
    status: 'completed',
    conclusion: 'success',
    created_at: minute(0),
    run_started_at: minute(start),
    updated_at: '2026-11-25T10:00:00Z',
  });
  const job = (id: number, attempt: number, end: number | null) => ({
    id,
    run_id: 1,
    run_attempt: attempt,
    name: 'build',
    status: 'completed',
    completed_at: end === null ? null : minute(end),
  });
  const forge = {
    readAttempt: async () => run(1, 0),
    listJobs: async () => [job(1, 1, 1), job(2, 1, 3), job(3, 2, 12), job(4, 2, null)],
  };
  const events = await eventsOfRun(forge as never, place, run(2, 10), Date.parse('2026-11-26T10:00:00Z'));
  const ends = events
    .filter(({ type }) => type === 'workflow_run')
    .map(({ row }) => row as RunRow)
    .map(({ attempt, completedAt }) => [attempt, completedAt]);
  assert.deepEqual(ends, [
    [1, Date.parse(minute(3))],
    [2, Date.parse(minute(12))],
  ]);
});
