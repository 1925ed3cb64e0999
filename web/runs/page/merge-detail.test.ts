import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowJob, WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { mergeDetail } from './merge-detail.ts';
import { someRun } from '#test/support/data/some-run.ts';
import * as fc from 'fast-check';

/** A job for tests. */
function someJob(facts: Partial<WorkflowJob> & { jobId: number }): WorkflowJob {
  return {
    integrationId: '0198e7a0-0000-7000-8000-000000000001',
    runId: 90,
    attempt: 1,
    repository: 'fernhill/web-console',
    workflowName: 'ci',
    name: 'build',
    status: 'queued',
    conclusion: null,
    headBranch: 'main',
    headSha: null,
    runnerName: null,
    runnerGroup: null,
    labels: [],
    url: null,
    createdAt: '2026-11-20T12:00:00.000Z',
    startedAt: null,
    completedAt: null,
    queueMs: null,
    durationMs: null,
    steps: [],
    ...facts,
  };
}

const run = someRun({ runId: 90 });
const detail: WorkflowRunDetail = {
  run,
  attempts: [],
  jobs: [someJob({ jobId: 1 }), someJob({ jobId: 2 })],
  pullRequests: [],
  previous: null,
  usual: { runMs: null, jobs: [] },
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

/** A page receives updates while it reads the run. Both orders must lead to the same page. */

const unread: WorkflowRunDetail = {
  run,
  attempts: [],
  jobs: [],
  pullRequests: [],
  previous: null,
  usual: { runMs: null, jobs: [] },
};

const status = fc.constantFrom('queued', 'in_progress', 'completed');
const data = fc.oneof(
  fc.record({ status, attempt: fc.integer({ min: 1, max: 3 }) }).map((facts) => ({
    type: 'workflow_run' as const,
    data: { ...run, ...facts },
  })),
  fc
    .record({ status, jobId: fc.integer({ min: 1, max: 4 }), runId: fc.constantFrom(90, 90, 91) })
    .map((facts) => ({
      type: 'workflow_job' as const,
      data: someJob(facts),
    })),
);
const updates = fc.array(data, { maxLength: 12 }).map((all) =>
  all.map((each, index): UpdateMessage => ({
    v: 1,
    integrationId: run.integrationId,
    epoch: 'e1',
    seq: index + 1,
    at: '',
    ...each,
  })),
);

test('updates during a read and those after it lead to the same page', () => {
  fc.assert(
    fc.property(updates, fc.nat(12), (all, read) => {
      const whole = all.reduce(mergeDetail, unread);
      const page = all.slice(0, read).reduce(mergeDetail, unread);
      assert.deepEqual(all.slice(read).reduce(mergeDetail, page), whole);
    }),
  );
});

test('each attempt and job is listed once, attempts in order', () => {
  fc.assert(
    fc.property(updates, (all) => {
      const { attempts, jobs } = all.reduce(mergeDetail, unread);
      const numbers = attempts.map(({ attempt }) => attempt);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => a - b),
      );
      assert.equal(new Set(jobs.map(({ jobId }) => jobId)).size, jobs.length);
      assert.ok(jobs.every(({ runId }) => runId === 90));
    }),
  );
});

test('each job shows its last update', () => {
  fc.assert(
    fc.property(updates, (all) => {
      const { jobs } = all.reduce(mergeDetail, unread);
      for (const job of jobs) {
        const last = all.findLast(
          ({ type, data: one }) =>
            type === 'workflow_job' && one.runId === 90 && 'jobId' in one && one.jobId === job.jobId,
        );
        assert.equal(last?.data, job);
      }
    }),
  );
});
