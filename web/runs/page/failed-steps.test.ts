import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonsOf } from './failed-steps.ts';
import { someJob, someStep } from '#test/support/data/some-job.ts';

const failed = { status: 'completed', conclusion: 'failure' };

test('each failed job is listed with its first failed step', () => {
  const jobs = [
    someJob({ jobId: 1, status: 'completed', conclusion: 'success' }),
    someJob({
      jobId: 2,
      name: 'test',
      ...failed,
      steps: [
        someStep({ number: 1, status: 'completed', conclusion: 'success' }),
        someStep({ number: 2, name: 'Run tests', ...failed }),
        someStep({ number: 3, name: 'Upload', ...failed }),
      ],
    }),
    someJob({ jobId: 3, name: 'deploy', status: 'completed', conclusion: 'skipped' }),
    someJob({ jobId: 4, name: 'lint', status: 'completed', conclusion: 'timed_out' }),
  ];
  assert.deepEqual(
    reasonsOf(jobs).map(({ job, step }) => [job.name, step]),
    [
      ['test', 'Run tests'],
      ['lint', undefined],
    ],
  );
});
