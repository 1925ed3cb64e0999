import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { FailureReason } from '#contract/failures/failure-reason.ts';
import { readFailureLog } from './read-failure-log.ts';

const step = {
  number: 3,
  name: 'Run npm test',
  conclusion: 'failure',
  startedAt: '2026-11-20T10:00:01Z',
  completedAt: '2026-11-20T10:00:05Z',
};

async function* stream(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

test('readFailureLog names the failed step and its first error', async () => {
  const log = stream(
    '2026-11-20T10:00:01.1234567Z ##[group]Run npm test\n',
    '2026-11-20T10:00:03.1234567Z ##[error]Tests of the parser fail\n',
  );
  const reason = await readFailureLog(log, { steps: [step], annotations: [] });
  assert.ok(Value.Check(FailureReason, reason));
  assert.deepEqual(reason.step, { number: 3, name: 'Run npm test' });
  assert.match(reason.errorLine ?? '', /Tests of the parser fail$/);
  assert.equal(reason.excerpts[0]?.firstLine, 1);
});

test('readFailureLog prefers an annotation that says more than the exit code', async () => {
  const annotations = ['Process completed with exit code 1.', 'src/a.ts does not compile'].map((message) => ({
    level: 'failure' as const,
    path: '.github',
    title: null,
    message,
  }));
  const { errorLine } = await readFailureLog(stream('##[error]Something else\n'), { steps: [], annotations });
  assert.equal(errorLine, 'src/a.ts does not compile');
});
