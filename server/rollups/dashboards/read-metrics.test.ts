import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricsQuery } from '#contract/metrics/metrics.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { listJobs } from '#server/runs/jobs/list-jobs.ts';
import { listRecoveredJobs } from '../changes/recovered-jobs-store.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { greenBuild, jobOf, runOf, type Completion } from '#test/support/data/completions.ts';
import {
  at,
  epoch,
  eventOf,
  integrationId,
  pullRequestPayload,
  repositoryOf,
} from '#test/support/data/forge-events.ts';
import { createMetricsReader } from '#test/support/data/reading/metrics-reader.ts';
import { Compile } from 'typebox/compile';

const { database, record, metrics, emptyAll } = await createMetricsReader();

test('metrics contain failures, flaky jobs, minutes by label, busiest runners and times to merge', async () => {
  await emptyAll();
  const [first, second] = [
    { ...greenBuild, conclusion: 'failure' } as const,
    { ...greenBuild, attempt: 2, startSeconds: greenBuild.startSeconds + 100 },
  ];
  const merged = { created_at: at(86_400), merged_at: at(86_400 + 600), updated_at: at(86_400 + 600) };
  await record(
    runOf(first),
    runOf(second),
    jobOf(first),
    jobOf(second),
    eventOf('pull_request', pullRequestPayload({ number: 9, merged: true, state: 'closed', ...merged })),
  );
  const answer = await metrics();
  // The re-run replaces the result of the run. Jobs count with each attempt.
  assert.deepEqual(answer.failures.workflows, []);
  assert.deepEqual([answer.total.runs, answer.total.reruns], [1, 1]);
  assert.deepEqual(answer.failures.jobs, [
    { repository: 'acme/site', workflow: 'CI', job: 'build', failed: 1, runs: 2 },
  ]);
  assert.deepEqual(
    answer.flakyJobs.map(({ job, flips, lastRunId }) => [job, flips, lastRunId]),
    [['build', 1, 1]],
  );
  assert.deepEqual(answer.billable, [{ runner: 'linux', jobs: 2, billableMinutes: 2 }]);
  assert.deepEqual(answer.runners, [{ runner: 'one', jobs: 2, busyMs: 120_000 }]);
  assert.deepEqual(answer.timeToMerge, { merged: 1, p50Ms: 600_000, p95Ms: 600_000 });
  const byRunner = await metrics({ groupBy: 'runner' });
  assert.deepEqual(
    byRunner.groups.map(({ runner, runs }) => [runner, runs]),
    [['linux', 2]],
  );
});

test('the name of a runner group works as a filter, no matter how many labels it has', async () => {
  await emptyAll();
  const labels = Array.from({ length: 100 }, (_, index) => `label ${index} `.padEnd(200, 'x'));
  await record(jobOf({ ...greenBuild, labels }));
  const [group] = (await metrics({ groupBy: 'runner' })).groups;
  const query = { runner: group?.runner ?? '' };
  assert.ok(Compile(MetricsQuery).Check(query));
  assert.equal((await metrics(query)).total.runs, 1);
});

test('ephemeral runners count together', async () => {
  await emptyAll();
  const names = [
    'big-ab12c-runner-de34f',
    'big-gh56i-runner-jk78l',
    'GitHub Actions 3',
    'GitHub Actions 12',
    'own-1',
  ];
  await record(...names.map((runner, index) => jobOf({ ...greenBuild, id: index + 1, runner })));
  assert.deepEqual(
    new Map((await metrics()).runners.map(({ runner, jobs }) => [runner, jobs])),
    new Map([
      ['big', 2],
      ['GitHub Actions', 2],
      ['own-1', 1],
    ]),
  );
});

test('flaky jobs and times to merge respect the filters by time, branch, runner and repository', async () => {
  await emptyAll();
  const flaky = (id: number, own: Partial<Completion>) => {
    const first = { ...greenBuild, ...own, id, conclusion: 'failure' };
    return [jobOf(first), jobOf({ ...first, attempt: 2, conclusion: 'success' })];
  };
  const merge = (number: number, openedAt: number, full_name = 'acme/site') => {
    const times = { created_at: at(openedAt), merged_at: at(86_400), updated_at: at(86_400) };
    const rest = { repository: repositoryOf(full_name) };
    return eventOf('pull_request', pullRequestPayload({ number, merged: true, ...times }, rest));
  };
  await record(
    ...flaky(1, {}),
    ...flaky(2, { branch: 'topic' }),
    ...flaky(3, { startSeconds: 86_400, labels: ['macos', 'arm64'] }),
    // Clocks differ: a merge before the opening counts as 0.
    merge(1, 86_500),
    merge(2, 86_000),
    merge(3, 0, 'acme/api'),
  );
  const flips = async (query: MetricsQuery) => (await metrics(query)).flakyJobs[0]?.flips;
  const day = (start: number) => ({ from: at(start), to: at(start), granularity: 'day' }) as const;
  assert.equal(await flips({}), 3);
  assert.equal(await flips({ branch: 'default' }), 2);
  assert.equal(await flips({ branch: 'other' }), 1);
  assert.equal(await flips({ runner: 'arm64, macos' }), 1);
  assert.equal(await flips({ runner: 'linux' }), 2);
  assert.equal(await flips(day(86_400)), 1);
  assert.equal(await flips(day(greenBuild.startSeconds)), 2);
  assert.equal(await flips({ repository: 'acme/api' }), undefined);
  const site = (await metrics({ repository: 'acme/site' })).timeToMerge;
  assert.deepEqual(site, { merged: 2, p50Ms: 0, p95Ms: 400_000 });
  assert.equal((await metrics()).timeToMerge.merged, 3);
});

/** Two jobs of one name in each attempt of a run, as cut names of a matrix and reusable workflows give. */
const twins = (id: number, attempts: readonly (readonly [string, string])[]) =>
  attempts.flatMap((conclusions, index) =>
    conclusions.map((conclusion, twin) =>
      jobOf(
        {
          ...greenBuild,
          id,
          conclusion,
          attempt: index + 1,
          startSeconds: greenBuild.startSeconds + index * 100,
        },
        { id: id * 100 + index * 10 + twin, name: `test (${'x'.repeat(91)}...` },
      ),
    ),
  );

test('of two jobs with one name nobody knows which one passed on a re-run, unless both did', async () => {
  await emptyAll();
  const [once, often] = [
    ['failure', 'success'],
    ['success', 'failure'],
  ] as const;
  await record(...twins(1, [once, once]), ...twins(2, [once, often]), ...twins(3, [once, often, once]));
  const found = async () => {
    const { flakyJobs } = await metrics();
    const [listed, recovered = []] = await database.api.withScope({ integrationId }, async (tx) => [
      await listJobs(tx, integrationId, { attempt: 'flip' }),
      await listRecoveredJobs(tx, integrationId, { from: epoch, to: epoch + 6 * dayMs }, {}),
    ]);
    return {
      figures: flakyJobs.map(({ flips, retries, passedRetries }) => [flips, retries, passedRetries]),
      listed: listed.items.map(({ runId }) => runId),
      recovered: recovered.map(({ recovered: count }) => count),
    };
  };
  assert.deepEqual(await found(), { figures: [], listed: [], recovered: [] });
  await record(
    ...twins(4, [
      ['failure', 'failure'],
      ['success', 'success'],
    ]),
  );
  assert.deepEqual(await found(), { figures: [[2, 2, 2]], listed: [4, 4], recovered: [2] });
});

test('a re-run is compared with the last attempt that completed the job', async () => {
  await emptyAll();
  const attempts = ['failure', 'skipped', 'success', 'success', 'cancelled', 'failure'] as const;
  await record(
    ...attempts.map((conclusion, index) =>
      jobOf({
        ...greenBuild,
        conclusion,
        attempt: index + 1,
        startSeconds: greenBuild.startSeconds + index * 100,
      }),
    ),
  );
  const { flakyJobs } = await metrics();
  assert.deepEqual(
    flakyJobs.map(({ job, flips, retries, passedRetries, lostMs }) => [
      job,
      flips,
      retries,
      passedRetries,
      lostMs,
    ]),
    // The first failure took a minute.
    [['build', 2, 1, 1, 60_000]],
  );
});

test("jobs of a fork's branch with the name of our default branch do not count as ours, in any order of events", async () => {
  const fork = { id: 8, full_name: 'bob/site' };
  const failed = { ...greenBuild, conclusion: 'failure' } as const;
  const { completed, begun, job, own } = {
    completed: runOf(failed, { head_repository: fork }),
    begun: runOf(failed, { head_repository: fork, status: 'in_progress', updated_at: at(0) }),
    job: jobOf(failed),
    own: [runOf({ ...failed, id: 2 }), jobOf({ ...failed, id: 2 })],
  };
  for (const batches of [
    [[completed, job]],
    [[completed], [job]],
    [[job], [begun], [completed]],
    [[job, completed]],
  ]) {
    await emptyAll();
    await record(...own);
    for (const batch of batches) await record(...batch);
    const { total, failures } = await metrics({ branch: 'default' });
    assert.deepEqual([total.runs, total.billableMinutes], [1, 1]);
    assert.deepEqual([failures.workflows[0]?.failed, failures.jobs[0]?.failed], [1, 1]);
    assert.equal((await metrics()).total.billableMinutes, 2);
  }
});

test('metrics refuse an invalid or too long span and name the field', async () => {
  for (const query of [
    { from: at(10), to: at(0) },
    { from: '2001-01-01T00:00:00Z' },
    { from: at(-40 * 86_400), granularity: 'hour' },
  ] satisfies MetricsQuery[]) {
    await assert.rejects(metrics(query), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.errors?.[0]?.field, 'from');
      return true;
    });
  }
  assert.equal((await metrics({ from: at(0), to: at(3600), granularity: 'hour' })).series.length, 2);
});
