import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Tx } from '#platform/database/database.ts';
import { integrationId } from '#test/support/data/forge-events.ts';
import { plansOf } from '#test/support/database/query-plans.ts';
import { insertManyTestResults } from '#test/support/database/test-results.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { findGroup, listGroups } from './groups/group-store.ts';
import { findNewestExcerpt, listOccurrences } from './groups/occurrence-store.ts';
import {
  countOtherBranches,
  countReruns,
  countStreak,
  failedBefore,
  findAffected,
  findStart,
} from './groups/streak-store.ts';
import { listDue, listWaitingConnections } from './reading/reading-store.ts';
import { listFailingJobs } from './run-failures/failing-job-store.ts';
import { findKnown, findRange, listWaitingRanges } from './commits/commit-range-store.ts';
import { listStreakStarts } from './blame/streak-start-store.ts';
import { listReasons } from './run-failures/run-reason-store.ts';
import { countGroups, deleteOldestGroups } from './groups/group-store.ts';
import { failureWaits, takePending } from './storing/pending-store.ts';

const database = await createTestDatabase();
const groupId = 'a0000000-0000-4000-8000-000000000001';
const where = {
  integrationId,
  groupId,
  repository: 'acme/site',
  workflow: 'CI',
  branch: 'main',
  onDefaultBranch: false,
  job: 'build',
  failedAt: new Date().toISOString(),
} as const;

before(async () => {
  const group = `('a0000000-0000-4000-8000-' || lpad((n % 250)::text, 12, '0'))::uuid`;
  for (const text of [
    `insert into failure_reasons (integration_id, run_id, attempt, job_id, failure_group_id, repository, branch, on_default_branch,
       job, error_line, failed_at)
     select $1, n, 1, n, ${group}, 'acme/site', 'topic ' || n % 50, n % 3 = 0, 'build', 'it broke', now() - n * interval '1 minute'
     from generate_series(1, 5000) n`,
    `insert into failure_groups (integration_id, failure_group_id, repository, job, error_line, failures, first_seen_at, last_seen_at)
     select $1, ${group}, 'acme/site', 'build', 'it broke', 20, now(), now() from generate_series(0, 249) n`,
    `insert into pending_failures (group_id, run_id, attempt, job_id, waits_for_log) select $1, n, 1, n, n % 2 = 0
     from generate_series(1, 5000) n`,
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, created_at,
       pull_requests, head_branch, workflow_name)
     select $1, n, 1, '', 'acme/site', 'completed', true, now() - n * interval '1 minute', '{}', 'topic ' || n % 50, 'CI'
     from generate_series(1, 5000) n`,
    `insert into workflow_run_attempts (integration_id, run_id, attempt, version, repository, status, on_default_branch)
     select $1, n, 1, '', 'acme/site', 'completed', true from generate_series(1, 5000) n`,
    `insert into workflow_jobs (integration_id, run_id, attempt, version, repository, status, on_default_branch, job_id, name, labels,
       steps, created_at)
     select $1, n, 1, '', 'acme/site', 'completed', true, n, 'build', '{}', '[]', now() from generate_series(1, 5000) n`,
    `insert into commit_ranges (integration_id, repository, base_sha, head_sha, run_id, state)
     select $1, 'acme/site', n::text, (n + 1)::text, n, case when n % 50 = 0 then 'waiting' else 'read' end from generate_series(1, 5000) n`,
  ])
    await database.asOwner(text, [integrationId]);
  await insertManyTestResults(database, integrationId);
  await database.asOwner('analyze');
});

const filter = {
  status: undefined,
  repository: undefined,
  workflow: undefined,
  branch: undefined,
  from: undefined,
  to: undefined,
  words: [],
  before: undefined,
};

for (const [name, role, work, indexes = []] of [
  ['the page of groups', 'api', (tx) => listGroups(tx, integrationId, filter, 50)],
  [
    'groups of a branch',
    'api',
    (tx) => listGroups(tx, integrationId, { ...filter, branch: 'topic 1', words: ['%broke%'] }, 50),
  ],
  ['a group', 'api', (tx) => findGroup(tx, integrationId, groupId)],
  ['the failures of a group', 'api', (tx) => listOccurrences(tx, integrationId, groupId, 50)],
  ['the newest excerpt of a group', 'api', (tx) => findNewestExcerpt(tx, integrationId, groupId, 50)],
  ['the branches of a group', 'api', (tx) => findAffected(tx, integrationId, groupId)],
  ['the runs since the last success', 'api', (tx) => countStreak(tx, where)],
  ['where a group began', 'api', (tx) => findStart(tx, where)],
  ['an earlier failure of a branch', 'api', (tx) => failedBefore(tx, where, 1, new Date().toISOString())],
  ['the re-runs of a group', 'api', (tx) => countReruns(tx, integrationId, { ...where, runId: 9 })],
  ['the other branches of a group', 'api', (tx) => countOtherBranches(tx, integrationId, where)],
  [
    'how workflows became red',
    'api',
    (tx) => listStreakStarts(tx, integrationId, [1, 2, 3], 'run'),
    ['workflow_runs_pkey', 'workflow_runs_by_branch'],
  ],
  [
    'commits that wait for a connection',
    'worker',
    (tx) => listWaitingRanges(tx, integrationId, null, 20),
    ['commit_ranges_waiting'],
  ],
  [
    'the commits of a range',
    'api',
    (tx) => findRange(tx, integrationId, { repository: 'acme/site', baseSha: '1', headSha: '2' }),
    ['commit_ranges_pkey'],
  ],
  [
    'the runs of commits',
    'api',
    (tx) =>
      findKnown(tx, integrationId, { repository: 'acme/site', runId: 9 }, { shas: ['1'], numbers: [1] }),
    ['workflow_runs_by_commit'],
  ],
  [
    'the reasons of a run',
    'api',
    (tx) => listReasons(tx, integrationId, [{ runId: 9, attempt: 1, jobId: 9 }], true),
  ],
  [
    'what failed first in many runs',
    'api',
    (tx) =>
      listFailingJobs(
        tx,
        integrationId,
        Array.from({ length: 50 }, (_, index) => ({ runId: index + 1, attempt: 1 })),
        'now',
      ),
  ],
  [
    'failures without a log',
    'worker',
    (tx) => takePending(tx, integrationId, 50, failureWaits),
    ['pending_failures_oldest', 'workflow_runs_pkey'],
  ],
  [
    'whether there are too many groups',
    'worker',
    (tx) => countGroups(tx, integrationId, 100),
    ['failure_groups_\\w+'],
  ],
  ['the groups beyond the limit', 'worker', (tx) => deleteOldestGroups(tx, integrationId, 1)],
  [
    'connections whose logs are due',
    'worker',
    (tx) => listWaitingConnections(tx, integrationId),
    ['pending_failures_due', 'workflow_runs_pkey'],
  ],
  [
    'logs that are due',
    'worker',
    (tx) => listDue(tx, integrationId, null, 10),
    ['pending_failures_due', 'workflow_runs_pkey'],
  ],
] as [string, 'api' | 'worker', (tx: Tx) => Promise<unknown>, string[]?][])
  test(`indexes find ${name}`, async () => {
    const plan = await plansOf(database[role], integrationId, work);
    // Tables with few rows for each integration are small.
    assert.doesNotMatch(plan, /Seq Scan on (?!users|linked_repositories|pull_requests)/, plan);
    for (const index of indexes) assert.match(plan, new RegExp(`${index}\\b`), plan);
  });
