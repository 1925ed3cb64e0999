import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { mergeDetail } from './merge-detail.ts';
import { someJob } from '#test/support/data/some-job.ts';
import { someRun } from '#test/support/data/some-run.ts';

const run = someRun({ runId: 90 });
const detail: WorkflowRunDetail = {
  run,
  attempts: [],
  jobs: [someJob({ jobId: 1 }), someJob({ jobId: 2 })],
  pullRequests: [],
};

const update = (type: UpdateMessage['type'], data: UpdateMessage['data']): UpdateMessage => ({
  v: 1,
  type,
  integrationId: run.integrationId,
  epoch: 'e1',
  seq: 1,
  at: '',
  data,
});

test('an updated run replaces the run and its attempt', () => {
  const first = mergeDetail(
    detail,
    update('workflow_run', { ...run, status: 'completed', conclusion: 'failure' }),
  );
  const second = mergeDetail(first, update('workflow_run', { ...run, attempt: 2, status: 'in_progress' }));
  assert.equal(second.run.attempt, 2);
  assert.deepEqual(
    second.attempts.map(({ attempt, status, conclusion }) => [attempt, status, conclusion]),
    [
      [1, 'completed', 'failure'],
      [2, 'in_progress', null],
    ],
  );
});

test('an updated job stays in place, and a new job is appended', () => {
  const changed = mergeDetail(detail, update('workflow_job', someJob({ jobId: 1, status: 'in_progress' })));
  const grown = mergeDetail(changed, update('workflow_job', someJob({ jobId: 3 })));
  assert.deepEqual(
    grown.jobs.map(({ jobId, status }) => [jobId, status]),
    [
      [1, 'in_progress'],
      [2, 'queued'],
      [3, 'queued'],
    ],
  );
});

test('updates of other runs change nothing', () => {
  assert.equal(mergeDetail(detail, update('workflow_run', someRun({ runId: 91 }))), detail);
  assert.equal(mergeDetail(detail, update('workflow_job', someJob({ jobId: 9, runId: 91 }))), detail);
});
