import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { HealthQuery } from '#contract/metrics/health.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import {
  at,
  epoch,
  eventOf,
  integrationId,
  pullRequestPayload,
  reviewPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { readHealth } from './read-health.ts';
import { greenAt } from '#server/runs/green/green-to-merge.ts';
import { coveredMs } from './read-flow.ts';

const { database, record } = await createMonitoringStore();

async function flow(query: HealthQuery = {}) {
  const answer = await database.api.withScope({ integrationId }, (tx) =>
    readHealth(tx, integrationId, query, epoch + 6 * dayMs, new DashboardCache()),
  );
  return answer.flow;
}

const hour = 3600;
const sha = (letter: string): string => letter.repeat(40);

/** A pull request of ann that was opened at 0 and merged after 10 hours. */
const merged = (number: number, more: object = {}) =>
  eventOf(
    'pull_request',
    pullRequestPayload(
      {
        number,
        state: 'closed',
        merged: true,
        user: { login: 'ann' },
        created_at: at(0),
        merged_at: at(10 * hour),
        updated_at: at(10 * hour),
        head: { ref: 'topic', sha: sha('c') },
        base: { ref: 'main' },
        ...more,
      },
      { number },
    ),
  );

let reviews = 0;
const review = (number: number, login: string, state: string, hours: number, commit = 'a') => {
  reviews += 1;
  return eventOf(
    'pull_request_review',
    reviewPayload(
      { id: reviews, user: { login }, state, submitted_at: at(hours * hour), commit_id: sha(commit) },
      { pull_request: { number } },
    ),
  );
};

const checks = (id: number, from: number, to: number, more: object = {}) =>
  eventOf(
    'workflow_run',
    runPayload({
      id,
      status: 'completed',
      conclusion: 'success',
      head_branch: 'topic',
      head_sha: sha('a'),
      created_at: at(from * hour),
      run_started_at: at(from * hour),
      updated_at: at(to * hour),
      pull_requests: [{ number: 1 }],
      ...more,
    }),
  );

test('the times of a pull request are those of reviews by other people, and of its runs up to the merge', async () => {
  await record(
    merged(1),
    merged(2),
    merged(3, { base: { ref: 'other' } }),
    review(1, 'Ann', 'commented', 1),
    review(1, 'lint[bot]', 'commented', 1),
    review(1, 'bob', 'changes_requested', 2, 'a'),
    review(1, 'cy', 'changes_requested', 3, 'a'),
    review(1, 'bob', 'changes_requested', 4, 'b'),
    review(1, 'bob', 'changes_requested', 5, 'c'),
    review(1, 'bob', 'approved', 6, 'c'),
    review(1, 'cy', 'approved', 7, 'c'),
    review(1, 'cy', 'approved', 11, 'c'),
    checks(1, 0, 1),
    checks(2, 0.5, 2),
    // The time between the attempts of a run is not one of its checks.
    checks(3, 4, 5),
    checks(3, 9, 12, { run_attempt: 2, created_at: at(4 * hour) }),
  );
  const { items, ...figures } = await flow();
  assert.deepEqual(
    items.map(({ number, timeToMergeMs, firstReviewMs, approvalToMergeMs, rounds, checksMs }) => [
      number,
      ...[timeToMergeMs, firstReviewMs, approvalToMergeMs, checksMs].map((ms) => ms && ms / hour / 1000),
      rounds,
    ]),
    [
      [2, 10, null, null, null, null],
      [1, 10, 2, 3, 4, 2],
    ],
  );
  assert.deepEqual(figures, {
    merged: 2,
    timeToMerge: { count: 2, p50: 10 * hour * 1000, p90: null },
    firstReview: { count: 1, p50: 2 * hour * 1000, p90: null },
    approvalToMerge: { count: 1, p50: 3 * hour * 1000, p90: null },
    greenToMerge: { count: 0, p50: null, p90: null },
    rounds: { count: 1, p50: 2, p90: null },
    reworked: 1,
    checks: { count: 1, p50: 0.4 },
  });
  assert.equal((await flow({ branch: 'other' })).merged, 1);
  assert.equal((await flow({ repository: 'acme/api' })).merged, 0);
  assert.equal((await flow({ from: at(86_400) })).merged, 0);
});

test('a run of a fork belongs to the pull request of its commit', async () => {
  await record(merged(1), checks(1, 1, 3, { pull_requests: [], head_sha: sha('c') }));
  assert.equal((await flow()).items[0]?.checksMs, 2 * hour * 1000);
});

test('times that overlap count once', () => {
  const time = fc.tuple(fc.nat(30), fc.nat(30)).map(([from, lasted]) => ({ from, to: from + lasted }));
  fc.assert(
    fc.property(fc.array(time), time, (times, span) => {
      const seconds = Array.from({ length: 70 }, (_, second) => second);
      const covered = seconds.filter(
        (second) =>
          second >= span.from &&
          second < span.to &&
          times.some(({ from, to }) => second >= from && second < to),
      );
      assert.equal(coveredMs(times, span), covered.length);
    }),
  );
});

test('the time from green to merge is that of the newest run of each workflow, or of the required checks', async () => {
  const run = (mergedAt: number, workflowName: string, conclusion: string, completedAt: number | null) => ({
    mergedAt,
    workflowPath: null,
    workflowName,
    event: 'pull_request',
    conclusion,
    completedAt,
    checks: null,
    arePatterns: false,
    jobs: null,
  });
  const [newest, older] = [run(100, 'CI', 'success', 60), run(100, 'CI', 'failure', 30)];
  assert.equal(greenAt([newest, older, run(100, 'Lint', 'skipped', 80)]), 80);
  assert.equal(greenAt([older, newest]), null, 'the newest run failed');
  assert.equal(greenAt([newest, run(100, 'Slow', 'success', 120)]), null, 'a run ended after the merge');
  assert.equal(greenAt([]), null);
  const job = (name: string, conclusion: string, completedAt: number) => ({ name, conclusion, completedAt });
  const required = (checks: string[], ...jobs: ReturnType<typeof job>[]) =>
    greenAt([
      { ...older, checks, jobs },
      { ...run(100, 'Slow', 'success', 120), checks, jobs: [] },
    ]);
  assert.equal(required(['test'], job('test', 'success', 20), job('lint', 'failure', 25)), 20);
  assert.equal(required(['test', 'lint'], job('test', 'success', 20), job('lint', 'failure', 25)), null);
  assert.equal(required(['test', 'licence'], job('test', 'success', 20)), null, 'one is not reported');
  assert.equal(required([], job('test', 'success', 20)), null, 'nothing is required, and a run failed');
});

test('pull requests whose checks had passed have the time from then to the merge', async () => {
  const head = { head_sha: sha('e') };
  await record(
    merged(31, { head: { ref: 'topic', sha: sha('e') } }),
    checks(131, 1, 2, { ...head, name: 'CI' }),
    checks(132, 1, 4, { ...head, name: 'Lint' }),
    merged(32, { head: { ref: 'topic', sha: sha('f') } }),
    checks(133, 1, 2, { head_sha: sha('f'), conclusion: 'failure' }),
  );
  const { items, greenToMerge } = await flow();
  const of = (number: number) => items.find((item) => item.number === number)?.greenToMergeMs;
  assert.deepEqual([of(31), of(32)], [6 * hour * 1000, null]);
  assert.equal(greenToMerge.count, items.filter(({ greenToMergeMs }) => greenToMergeMs !== null).length);
});
