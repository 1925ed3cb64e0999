import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostRedNow } from '#contract/alerts/alerts.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';
import { replay } from '#server/alerts/rules/back-test/replay.ts';
import { redFailures } from './red-failures.ts';

const now = 100 * dayMs;
const failure = (runId: number, daysAgo: number, more: Partial<Completion> = {}): Completion => ({
  event: 'run',
  runId,
  attempt: 1,
  jobId: null,
  repository: 'acme/site',
  workflow: 'CI',
  branch: `branch ${runId}`,
  conclusion: 'failure',
  actor: null,
  name: null,
  url: null,
  at: now - daysAgo * dayMs,
  ...more,
});

const redRuns = async (completions: readonly Completion[]): Promise<number[]> =>
  redFailures((await replay(completions, ruleBody())).branches, now).map(({ runId }) => runId);

test('a default branch stays red for 30 days and another branch for 7', async () => {
  const onDefaultBranch = true;
  assert.deepEqual(
    await redRuns([
      failure(1, 31, { onDefaultBranch }),
      failure(2, 29, { onDefaultBranch }),
      failure(3, 8),
      failure(4, 6),
    ]),
    [4, 2],
  );
});

test('a branch that is green again is not red, and its newest failure counts', async () => {
  const branch = 'main';
  assert.deepEqual(
    await redRuns([
      failure(1, 5, { branch }),
      failure(2, 4, { branch }),
      failure(3, 3, { branch: 'topic' }),
      failure(4, 2, { branch: 'topic', conclusion: 'success' }),
    ]),
    [2],
  );
});

test('the newest failures are taken when there are very many', async () => {
  const many = Array.from({ length: mostRedNow + 5 }, (_, index) => failure(index + 1, 6 - index / 100));
  const taken = await redRuns(many);
  assert.equal(taken.length, mostRedNow);
  assert.equal(taken[0], mostRedNow + 5);
});
