import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureReason } from '#contract/failures/failure-reason.ts';
import type { ReadStep } from '../failed-job.ts';
import { readFailureLog } from '../read-failure-log.ts';

const second = (number: number): string => `2026-11-20T10:00:${String(number).padStart(2, '0')}`;

function step(number: number, name: string, conclusion: string, from: number, to: number): ReadStep {
  return { number, name, conclusion, startedAt: `${second(from)}Z`, completedAt: `${second(to)}Z` };
}

async function read(
  lines: readonly (readonly [number, string])[],
  steps: ReadStep[],
): Promise<FailureReason> {
  async function* bytes() {
    yield Buffer.from(lines.map(([at, text]) => `${second(at)}.1234567Z ${text}\n`).join(''));
  }
  return readFailureLog(bytes(), { steps, annotations: [] });
}

const steps = [
  step(1, 'Set up job', 'success', 0, 1),
  step(2, 'Lint', 'success', 1, 2),
  step(3, 'Test', 'failure', 2, 4),
  step(4, 'Upload', 'success', 4, 5),
];

const log = [
  [0, 'Current runner version: 2.330.0'],
  [1, '##[group]Run npm run lint'],
  [1, '##[endgroup]'],
  [2, '##[error]a step that may fail has failed'],
  [2, '##[group]Run npm test'],
  [2, '##[endgroup]'],
  [3, 'Error: expected 3 to be 4'],
  [4, '##[error]Process completed with exit code 1.'],
  [4, '##[group]Run actions/upload-artifact@v4'],
  [4, '##[endgroup]'],
  [5, 'Error: nothing to upload'],
] as const;

test('the lines of the failed step are found by its times, although other steps report errors', async () => {
  const reason = await read(log, steps);
  assert.deepEqual(reason.step, { number: 3, name: 'Test' });
  assert.equal(reason.errorLine, 'Error: expected 3 to be 4');
  const [excerpt] = reason.excerpts;
  assert.equal(excerpt?.firstLine, 5);
  assert.equal(excerpt?.firstLineOfStep, 1);
  assert.equal(excerpt?.lines.length, 4);
});

test('without times, the failed step is found by the title of its group', async () => {
  const untimed = steps.map((each) => ({ ...each, startedAt: null, completedAt: null }));
  const named = untimed.map((each) => (each.number === 3 ? { ...each, name: 'Run npm test' } : each));
  const reason = await read(log, named);
  assert.deepEqual(reason.step, { number: 3, name: 'Run npm test' });
  assert.equal(reason.errorLine, 'Error: expected 3 to be 4');
});

test('without steps, the sections with an error mark are read', async () => {
  const { step, excerpts } = await read(log, []);
  assert.equal(step, null);
  assert.deepEqual(
    excerpts.map(({ firstLine }) => firstLine),
    [2, 5],
  );
});

test('two failed steps have their own excerpts, and the first one names the failure', async () => {
  const both = [...steps.slice(0, 3), step(4, 'Upload', 'failure', 4, 5)];
  const { errorLine, excerpts } = await read(log, both);
  assert.equal(errorLine, 'Error: expected 3 to be 4');
  assert.deepEqual(
    excerpts.map(({ step }) => step?.name),
    ['Test', 'Upload'],
  );
});

test('a job that ran out of time has a cancelled step', async () => {
  const cancelled = steps.map((each) => (each.number === 3 ? { ...each, conclusion: 'cancelled' } : each));
  const { step } = await read([...log.slice(0, 7), [4, '##[error]The operation was canceled.']], cancelled);
  assert.deepEqual(step, { number: 3, name: 'Test' });
});

test('a flood of weak errors displaces no strong one', async () => {
  const flood = Array.from(
    { length: 5_000 },
    (_, index) => [3, `request ${index} failed with a long explanation`] as const,
  );
  const lines = [
    ...log.slice(0, 6),
    ...flood,
    [3, 'src/a.ts(1,7): error TS2322: no'] as const,
    ...flood,
    [4, '##[error]x'] as const,
  ];
  const { errorLine, excerpts } = await read(lines, steps);
  assert.equal(errorLine, 'src/a.ts(1,7): error TS2322: no');
  const shown = excerpts.flatMap(({ lines }) =>
    lines.filter(({ isError }) => isError).map(({ spans }) => spans[0]?.text),
  );
  assert.ok(shown.includes('src/a.ts(1,7): error TS2322: no'));
});
