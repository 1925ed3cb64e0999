import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JobStep } from '#contract/runs/runs.ts';
import { decodeTraces } from '#test/support/traces/decode-traces.ts';
import { encodeTraces } from './encode-traces.ts';
import type { FinishedJob, FinishedRun } from './finished-run.ts';
import { jobSpanId, queueSpanId, runSpanId, stepSpanIds, traceIdOf } from './trace-ids.ts';

/**
 * The run and job of the test data of the collector's receiver (receiver/githubreceiver/testdata, workflow-run-completed.json and
 * workflow-job-completed.json), with the ids that it expects.
 */
const published = { runId: 14_460_881_260, attempt: 13, jobId: 40_685_651_258 };

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 5, 11, 0, seconds));

const run: FinishedRun = {
  runId: published.runId,
  attempt: published.attempt,
  repository: 'Acme/My_Site',
  workflow: 'build-and-test',
  conclusion: 'failure',
  event: 'push',
  headBranch: 'main',
  headSha: 'a'.repeat(40),
  pullRequest: 7,
  url: `https://git.example.com/forge/Acme/My_Site/actions/runs/${published.runId}`,
  createdAt: at(0),
  startedAt: at(1),
  completedAt: at(60),
};

const step = (number: number, name: string, conclusion: string | null = 'success'): JobStep => ({
  number,
  name,
  status: 'completed',
  conclusion,
  startedAt: at(10 + number).toISOString(),
  completedAt: at(11 + number).toISOString(),
});

const job: FinishedJob = {
  jobId: published.jobId,
  name: 'test (1.23)',
  conclusion: 'failure',
  url: `${String(run.url)}/job/${published.jobId}`,
  runnerName: 'GitHub Actions 320',
  runnerGroup: 'GitHub Actions',
  labels: ['ubuntu-latest'],
  createdAt: at(2),
  startedAt: at(7),
  completedAt: at(50),
  steps: [step(1, 'Set up job'), step(2, 'make test', 'failure'), step(3, 'make test', 'skipped')],
};

test('ids of traces and runs are those of the test data of the collector', () => {
  const { runId, attempt } = published;
  assert.equal(traceIdOf(runId, attempt), '731ec8a47fd7450f753a812a4a8aa5a0');
  assert.equal(traceIdOf(runId, attempt - 1), '3ab150c94bf95169f4958bc860bddc3b');
  assert.equal(runSpanId(runId, attempt), 'aba151af7cfbcf0f');
});

test('ids of jobs, queues and steps are what sha256sum makes of the inputs that the collector documents', () => {
  // printf '40685651258-j' | sha256sum | cut -c17-32
  assert.equal(jobSpanId(published.jobId), '2b09b38c69b64a9c');
  assert.equal(queueSpanId(published.jobId), '79ff76cc79430e14');
  assert.deepEqual(stepSpanIds(published.jobId, ['Set up job']), ['d592338e114eb265']);
});

test('a decoder of the official proto files reads every span of a run', async () => {
  const spans = decodeTraces(await encodeTraces([{ run, hasRunSpan: true, jobs: [job] }]));
  const resource = {
    'service.name': 'my-site',
    'vcs.owner.name': 'Acme',
    'vcs.repository.name': 'My_Site',
    'vcs.repository.url.full': 'https://git.example.com/forge/Acme/My_Site',
    'vcs.ref.head.name': 'main',
    'vcs.ref.head.revision': 'a'.repeat(40),
    'vcs.change.id': '7',
    'cicd.pipeline.name': 'build-and-test',
    'cicd.pipeline.run.id': '14460881260',
    'cicd.pipeline.run.url.full': run.url,
  };
  const shared = { traceId: '731ec8a47fd7450f753a812a4a8aa5a0', links: [], resource };
  const [root, ofJob] = ['aba151af7cfbcf0f', '2b09b38c69b64a9c'];
  const ids = stepSpanIds(
    job.jobId,
    job.steps.map(({ name }) => name),
  );
  const failed = { status: 2, message: 'failure' };
  const stepSpan = (number: number, name: string, result: string, rest: object) => ({
    ...shared,
    spanId: ids[number - 1],
    parentSpanId: ofJob,
    name,
    kind: 1,
    startMs: at(10 + number).getTime(),
    endMs: at(11 + number).getTime(),
    ...rest,
    attributes: {
      'cicd.pipeline.task.name': name,
      'cicd.pipeline.task.run.id': `${job.jobId}/${number}`,
      'cicd.pipeline.task.run.result': result,
      ...(result === 'failure' ? { 'error.type': 'failure' } : {}),
    },
  });
  assert.deepEqual(spans, [
    {
      ...shared,
      spanId: root,
      parentSpanId: '',
      name: 'build-and-test',
      kind: 2,
      startMs: at(1).getTime(),
      endMs: at(60).getTime(),
      ...failed,
      attributes: {
        'cicd.pipeline.result': 'failure',
        'error.type': 'failure',
        'forgewatch.run.attempt': 13,
        'forgewatch.run.event': 'push',
      },
      links: [{ traceId: '3ab150c94bf95169f4958bc860bddc3b', spanId: runSpanId(published.runId, 12) }],
    },
    {
      ...shared,
      spanId: ofJob,
      parentSpanId: root,
      name: 'test (1.23)',
      kind: 1,
      startMs: at(2).getTime(),
      endMs: at(50).getTime(),
      ...failed,
      attributes: {
        'cicd.pipeline.task.name': 'test (1.23)',
        'cicd.pipeline.task.run.id': '40685651258',
        'cicd.pipeline.task.run.result': 'failure',
        'error.type': 'failure',
        'cicd.pipeline.task.run.url.full': job.url,
        'cicd.worker.name': 'GitHub Actions 320',
        'cicd.pipeline.worker.group.name': 'GitHub Actions',
        'cicd.pipeline.worker.labels': ['ubuntu-latest'],
      },
    },
    {
      ...shared,
      spanId: queueSpanId(job.jobId),
      parentSpanId: ofJob,
      name: 'queue-test (1.23)',
      kind: 1,
      startMs: at(2).getTime(),
      endMs: at(7).getTime(),
      status: 0,
      message: '',
      attributes: { 'cicd.pipeline.run.queue.duration': 5e9 },
    },
    stepSpan(1, 'Set up job', 'success', { status: 1, message: 'success' }),
    stepSpan(2, 'make test', 'failure', failed),
    stepSpan(3, 'make test', 'skip', { status: 0, message: 'skipped' }),
  ]);
});

test('a cancelled run is no error, and what did not run has no span', async () => {
  const neverRan: FinishedJob = {
    ...job,
    conclusion: 'cancelled',
    startedAt: null,
    createdAt: at(58),
    completedAt: at(57),
    steps: [{ ...step(1, 'Set up job', 'cancelled'), startedAt: null, completedAt: null }],
  };
  const cancelled = { ...run, attempt: 1, conclusion: 'cancelled' };
  const spans = decodeTraces(await encodeTraces([{ run: cancelled, hasRunSpan: true, jobs: [neverRan] }]));
  assert.deepEqual(
    spans.map((span) => [span.name, span.status, span.endMs >= span.startMs, span.links.length]),
    [
      ['build-and-test', 0, true, 0],
      ['test (1.23)', 0, true, 0],
    ],
  );
  assert.equal(spans[0]!.attributes['cicd.pipeline.result'], 'cancellation');
});

test('a later part of a run is sent without its span, into the same trace', async () => {
  const spans = decodeTraces(await encodeTraces([{ run, hasRunSpan: false, jobs: [{ ...job, steps: [] }] }]));
  assert.deepEqual(
    spans.map(({ name, traceId, parentSpanId }) => [name, traceId, parentSpanId]),
    [
      ['test (1.23)', traceIdOf(run.runId, run.attempt), runSpanId(run.runId, run.attempt)],
      ['queue-test (1.23)', traceIdOf(run.runId, run.attempt), jobSpanId(job.jobId)],
    ],
  );
});

test('steps of a job never share an id, whatever their names', () => {
  const name = fc.oneof(fc.constantFrom('a', 'a-1', 'a-2', 'a-1-1', ''), fc.string());
  fc.assert(
    fc.property(fc.array(name, { maxLength: 40 }), (names) => {
      const ids = stepSpanIds(1, names);
      assert.equal(new Set(ids).size, names.length);
      // The first step with a name has the id that the collector gives it.
      names.forEach((each, index) => {
        if (names.indexOf(each) === index) assert.equal(ids[index], stepSpanIds(1, [each])[0]);
      });
    }),
  );
});
