import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { runRollups, jobRollups } from '#server/rollups/rollups.ts';
import { readRows } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { loadHistory, usualHistory } from './load-history.ts';

const integrationId = '11111111-1111-4111-8111-111111111111';

interface Named {
  run_id: string;
  repository: string;
  workflow_name: string;
  name: string;
  conclusion: string;
  on_default_branch: boolean;
  completed_at: Date;
  started_at: Date;
  created_at: Date;
  labels: string[];
  runner_name: string;
  head_branch: string;
}

test('a loaded history has the rollups that the worker would write for its rows', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await loadHistory(client, integrationId, { ...usualHistory, runs: 500, days: 2 });
  await client.end();
  const runs = await readRows<Named>(database, 'workflow_runs');
  const jobs = await readRows<Named>(database, 'workflow_jobs');
  assert.deepEqual([runs.length, jobs.length], [500, 2000]);
  const row = (from: Named) =>
    ({
      integrationId,
      repository: from.repository,
      workflowName: from.workflow_name,
      name: from.name,
      status: 'completed',
      conclusion: from.conclusion,
      onDefaultBranch: from.on_default_branch,
      attempt: 1,
      completedAt: from.completed_at.getTime(),
      startedAt: from.started_at.getTime(),
      createdAt: from.created_at.getTime(),
      labels: from.labels,
      runnerName: from.runner_name,
    }) as never;
  const expected = new Map<string, number[]>();
  for (const cell of [
    ...runs.flatMap((run) => runRollups(row(run))),
    ...jobs.flatMap((job) => jobRollups(row(job))),
  ]) {
    const key = `${cell.kind} ${cell.start} ${cell.series.toString('hex')}`;
    const sum = expected.get(key) ?? [0, 0, 0, 0, 0, 0];
    const numbers = [
      cell.count,
      cell.billableMinutes,
      cell.succeeded,
      cell.failed,
      cell.busyMs,
      [...cell.durations.keys(), ...cell.queueTimes.keys()].reduce((total, bucket) => total + bucket, 0),
    ];
    expected.set(
      key,
      sum.map((value, index) => value + numbers[index]!),
    );
  }
  const stored = await database.asOwner<Record<string, string> & { start: Date; series: Buffer }>(
    `select kind, start, series, count, billable_minutes, succeeded, failed, busy_ms,
       coalesce((select sum(i * durations[i]) from generate_subscripts(durations, 1) i), 0)
       + coalesce((select sum(i * queue_times[i]) from generate_subscripts(queue_times, 1) i), 0) as buckets
     from hourly_rollups`,
  );
  const found = new Map(
    stored.map((cell) => [
      `${cell['kind']} ${cell.start.getTime()} ${cell.series.toString('hex')}`,
      [
        cell['count'],
        cell['billable_minutes'],
        cell['succeeded'],
        cell['failed'],
        cell['busy_ms'],
        cell['buckets'],
      ].map(Number),
    ]),
  );
  assert.deepEqual(found, expected);
});
