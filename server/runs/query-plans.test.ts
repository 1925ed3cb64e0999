import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { granularities } from '#contract/metrics/metrics.ts';
import { overviewRanges } from '#contract/metrics/overview.ts';
import type { Tx } from '#platform/database/database.ts';
import {
  at,
  eventOf,
  integrationId,
  jobPayload,
  pullRequestPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { readCiMetrics } from '#server/ci-metrics/read-ci-metrics.ts';
import { facetsOfRuns } from './list/count-facets.ts';
import { findOrphanJobs } from '#server/retention/delete-old-runs-store.ts';
import { addUpDays } from '#server/rollups/add-up-days.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { listJobs } from './jobs/list-jobs.ts';
import { countRuns, listRuns } from './list/list-runs.ts';
import { readObjects } from './read-objects.ts';
import { readHealth } from '#server/rollups/health/read-health.ts';
import { readQueue } from '#server/rollups/queue/read-queue.ts';
import { readWhatChanged } from '#server/rollups/changes/read-what-changed.ts';
import { readMetrics } from '#server/rollups/dashboards/read-metrics.ts';
import { findPullRequests } from '#server/pull-requests/find-pull-requests.ts';
import { listOpenOf } from '#server/pull-requests/pull-request-store.ts';
import { readPullRequest } from '#server/pull-requests/read-pull-request.ts';
import { readOverview } from '#server/rollups/dashboards/read-overview.ts';
import { listOwnFailedRuns, listOwnOpenRuns } from '#server/home/home-store.ts';
import { readPreviousResult } from './previous/read-previous-result.ts';
import { readRun } from './read-run.ts';
import { listWorkflowStates } from './latest/workflow-state-store.ts';
import { listWallTimes } from '#server/wallboard/wall-store.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import { greenBuild, runOf } from '#test/support/data/completions.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { fillWithRuns, insertManyCounters, makeRunsSlower } from '#test/support/data/many-runs.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { insertManyTestResults } from '#test/support/database/test-results.ts';
import { estimatesOf, plansOf, countUpdates } from '#test/support/database/query-plans.ts';

const database = await createTestDatabase();

const events = Array.from({ length: 10 }, (_, index) => [
  eventOf('workflow_run', runPayload({ id: index + 1 })),
  eventOf('workflow_job', jobPayload({ id: index + 1, run_id: index + 1 })),
  // Open before too: the end of branches has a statement of its own.
  eventOf('pull_request', pullRequestPayload({ number: 10 * (index + 1) })),
]).flat();
let plansOnSmallTables = '';

/** Closed by recoveries, by people, and open, of one of many integrations. */
async function fillWithIncidents(): Promise<void> {
  const others = await Promise.all(Array.from({ length: 10 }, () => insertIntegration(database)));
  await database.asOwner(
    `insert into incidents (integration_id, incident_id, branch_key, repository, workflow, branch, opened_at, closed_at, close_reason,
       failed_runs, failed_jobs, first_failure, last_failure)
     select id, gen_random_uuid(), sha256(n::text::bytea), 'acme/site', 'CI', 'topic ' || n, now(), case when n % 10 > 0 then now() end,
       case n % 10 when 0 then null when 1 then 'closed' else 'recovered' end, 1, 0, '{"runId": 7}', '{"runId": 7}'
     from unnest($1::uuid[]) id, generate_series(1, 500) n`,
    [[await insertIntegration(database, integrationId), ...others]],
  );
}

before(async () => {
  await fillWithRuns(database, integrationId, 200);
  plansOnSmallTables = await plansOf(database.worker, integrationId, (tx) => recordEvents(tx, events));
  await insertManyTestResults(database, integrationId);
  await fillWithIncidents();
  await fillWithRuns(database, integrationId, 5000);
});

async function usesIndexes(db: typeof database.api, work: (tx: Tx) => Promise<unknown>): Promise<string> {
  const plans = await plansOf(db, integrationId, work);
  // Tables with one row per integration, or almost no rows, always stay small.
  assert.doesNotMatch(
    plans,
    /Seq Scan on (?!rollup_progress|dirty_rollup_days|hidden_workflows|linked_repositories|required_checks|minute_prices|deployment_sources)/,
  );
  return plans;
}

test('a page of runs is an index scan in its order, with or without filters and cursor', async () => {
  let cursor = '';
  const first = await usesIndexes(database.api, async (tx) => {
    cursor = (await listRuns(tx, integrationId, {})).nextCursor ?? '';
  });
  const filters = { repository: 'acme/site', status: 'completed', from: at(-90_000_000), limit: 20 };
  const next = await usesIndexes(database.api, (tx) => listRuns(tx, integrationId, { cursor, ...filters }));
  for (const plan of [first, next]) {
    assert.match(plan, /Index Scan using workflow_runs_(newest|by_repository)/);
    assert.doesNotMatch(plan, /Sort/);
  }
});

test('each filter of runs uses the index that selects the fewest runs', async () => {
  const repository = { repository: 'acme/1' };
  for (const [query, index] of [
    [repository, 'workflow_runs_by_repository'],
    [{ ...repository, workflow: 'CI 1' }, 'workflow_runs_by_workflow'],
    [{ ...repository, branch: 'topic 1' }, 'workflow_runs_by_branch'],
    [{ status: 'queued,in_progress' }, 'workflow_runs_open'],
    [{ q: 'nothing of that kind' }, 'workflow_runs_newest'],
    [{ q: '0c5e1a7' }, 'workflow_runs_by_commit'],
    [{ q: '412' }, 'workflow_runs_by_number'],
    [{ q: '412' }, 'workflow_runs_by_pull_request'],
    [{ q: '#412' }, 'workflow_runs_of_several'],
    [{ q: '1234567' }, 'pull_requests_by_number'],
    [{ pullRequest: 7 }, 'workflow_runs_by_pull_request'],
    [{ ...repository, completedFrom: at(0), completedTo: at(1e9) }, 'workflow_runs_completed'],
    [{ branch: 'main,topic', conclusion: 'failure' }, 'workflow_runs_newest'],
  ] as const) {
    const plan = await usesIndexes(database.api, (tx) => listRuns(tx, integrationId, query));
    assert.match(plan, new RegExp(index), JSON.stringify(query));
  }
  for (const query of [{ branch: 'main' }, { q: '412' }, { q: '0c5e1a7' }])
    for (const read of [facetsOfRuns, countRuns])
      await usesIndexes(database.api, (tx) => read(tx, integrationId, query));
});

test('a page of jobs is an index scan in the order of completion, of re-runs alone where they are asked for', async () => {
  for (const [query, index] of [
    [{ job: 'build' }, 'workflow_jobs_completed'],
    [{ completedFrom: at(0), completedTo: at(1e9), conclusion: 'failure' }, 'workflow_jobs_completed'],
    [{ attempt: 'flip' }, 'workflow_jobs_rerun'],
  ] as const) {
    const plan = await usesIndexes(database.api, (tx) => listJobs(tx, integrationId, query));
    assert.match(plan, new RegExp(index), JSON.stringify(query));
    assert.doesNotMatch(plan, /Sort/);
  }
});

test('dashboards read rollups and runs from indexes, whichever days are added up', async () => {
  const now = Date.now();
  const deps = { db: database.worker, lock: async () => {} };
  const readAll = async () => {
    for (const range of overviewRanges)
      await usesIndexes(database.api, (tx) =>
        readOverview(tx, integrationId, { range }, now, new DashboardCache()),
      );
    for (const granularity of granularities) {
      const query = {
        granularity,
        groupBy: 'workflow',
        from: new Date(now - 9 * dayMs).toISOString(),
      } as const;
      await usesIndexes(database.api, (tx) =>
        readMetrics(tx, integrationId, query, now, new DashboardCache()),
      );
    }
  };
  while ((await addUpDays(deps, integrationId, now)) > 0);
  await database.asOwner('analyze');
  await readAll();
  await deleteRows(database, 'rollup_progress');
  await readAll();
});

test('metrics for other programs write and read the counters of the integration by key, and read its open runs and their jobs', async () => {
  await insertManyCounters(database, integrationId);
  const plan = await usesIndexes(database.api, (tx) => readCiMetrics(tx, integrationId));
  for (const index of ['ci_counters_pkey', 'workflow_runs_open', 'workflow_jobs_pkey'])
    assert.match(plan, new RegExp(index));
  const completed = runOf({ ...greenBuild, id: 900_001 });
  const stored = await usesIndexes(database.worker, (tx) => recordEvents(tx, [completed]));
  assert.match(stored, /Insert on ci_counters/);
});

test('the comparison of two periods reads rollups, re-runs and the runs of each change from indexes', async () => {
  const now = Date.now();
  for (const hours of [36, 72]) {
    await makeRunsSlower(database, hours);
    const query = { from: new Date(now - hours * hourMs).toISOString() };
    let listed = 0;
    const plans = await usesIndexes(database.api, async (tx) => {
      const answer = await readWhatChanged(tx, integrationId, query, now, new DashboardCache());
      listed = answer.items.filter(({ kind }) => kind === 'slower').length;
    });
    assert.equal(listed, 1);
    for (const index of [
      'workflow_runs_by_workflow',
      'workflow_jobs_pkey',
      'workflow_jobs_rerun',
      'daily_rollups_pkey',
    ])
      assert.match(plans, new RegExp(index));
  }
});

test('the health of branches reads failures, the results beside them and merged pull requests from indexes', async () => {
  const now = Date.now();
  const onDefault = await usesIndexes(database.api, (tx) =>
    readHealth(tx, integrationId, {}, now, new DashboardCache()),
  );
  for (const index of [
    'workflow_runs_red',
    'workflow_run_attempts_red',
    'Limit[^]*workflow_runs_default_branch',
    'pull_requests_merged',
    'workflow_jobs_rerun',
    'workflow_runs_superseded',
    'workflow_runs_newest',
  ])
    assert.match(onDefault, new RegExp(index));
  const onBranch = await usesIndexes(database.api, (tx) =>
    readHealth(tx, integrationId, { branch: 'topic 1' }, now, new DashboardCache()),
  );
  assert.match(onBranch, /Limit[^]*workflow_runs_by_branch/);
});

test('the queue reads the newest jobs that are not completed, and the runs beside them, from indexes', async () => {
  const plans = await usesIndexes(database.api, (tx) =>
    readQueue(tx, integrationId, {}, Date.now(), new DashboardCache()),
  );
  for (const index of ['Limit[^]*workflow_jobs_open', 'workflow_runs_pkey', 'workflow_run_attempts_pkey'])
    assert.match(plans, new RegExp(index));
});

test('a span in the future is not read hour by hour', async () => {
  const query = { from: '8000-01-01T00:00:00Z', to: '8001-12-31T00:00:00Z', granularity: 'day' } as const;
  const statements = await estimatesOf(database.api, { integrationId }, (tx) =>
    readMetrics(tx, integrationId, query, Date.now(), new DashboardCache()),
  );
  const lists = statements.flatMap(({ values }) => values.filter((value) => Array.isArray(value)));
  assert.ok(lists.every(({ length }) => length < 100));
});

test('runs of a pull request and the detail of a run use indexes', async () => {
  await usesIndexes(database.api, (tx) => listRuns(tx, integrationId, { pullRequest: 7 }));
  const detail = await usesIndexes(database.api, (tx) => readRun(tx, integrationId, 9));
  assert.match(detail, /pull_requests_by_head/);
  const previous = await usesIndexes(database.api, (tx) => readPreviousResult(tx, integrationId, 9));
  for (const index of ['workflow_runs_default_branch', 'workflow_runs_by_branch'])
    assert.match(previous, new RegExp(`Limit[^]*${index}`));
});

test('pull requests, their checks and their search use indexes that read a bounded number of runs', async () => {
  const page = await usesIndexes(database.api, (tx) => findPullRequests(tx, integrationId, {}));
  assert.match(page, /pull_requests_newest/);
  const found = await usesIndexes(database.api, (tx) =>
    findPullRequests(tx, integrationId, { q: 'abcdef0', state: 'open' }),
  );
  for (const index of ['workflow_runs_by_commit', 'pull_requests_by_head', 'pull_requests_by_branch'])
    assert.match(found, new RegExp(index));
  await usesIndexes(database.api, (tx) => findPullRequests(tx, integrationId, { q: '#7' }));
  const detail = await usesIndexes(database.api, (tx) =>
    readPullRequest(tx, makeSealer([testMasterKey]), integrationId, 7, 'acme/site'),
  );
  for (const index of ['workflow_runs_by_commit', 'workflow_runs_by_branch', 'workflow_runs_of_forks'])
    assert.match(detail, new RegExp(index));
  const mine = await usesIndexes(database.api, (tx) => listOpenOf(tx, [integrationId], 'ann', 100));
  assert.match(mine, /pull_requests_open_by_author/);
});

test('badges and the wallboard read a bounded number of runs of each workflow from indexes', async () => {
  const workflow = { repository: 'acme/1', workflow: 'CI 1' };
  for (const [branch, index] of [
    [null, 'workflow_runs_default_branch'],
    ['topic 1', 'workflow_runs_by_workflow'],
  ] as const) {
    const plan = await usesIndexes(database.api, (tx) =>
      listWorkflowStates(tx, integrationId, { names: [workflow], branch: branch ?? undefined }),
    );
    assert.match(plan, new RegExp(`Limit[^]*${index}`));
  }
  const wall = await usesIndexes(database.api, (tx) => listWorkflowStates(tx, integrationId, {}));
  await usesIndexes(database.api, (tx) => listWallTimes(tx, integrationId, [workflow]));
  assert.match(wall, /Recursive Union[^]*workflow_runs_default_branch/);
});

test('catching up reads by primary key', async () => {
  const run = { type: 'workflow_run', integrationId, runId: 9, attempt: 1, jobId: null } as const;
  const job = { type: 'workflow_job', integrationId, runId: 9, attempt: 1, jobId: 9 } as const;
  await usesIndexes(database.api, (tx) => readObjects(tx, [run, job]));
});

test('storing reads by primary key, even with a plan from when the tables were small', async () => {
  assert.doesNotMatch(plansOnSmallTables, /Seq Scan|Hash|Sort/);
  await usesIndexes(database.worker, (tx) => recordEvents(tx, events));
});

test('the search for jobs without a stored run scans a bounded number by primary key', async () => {
  const next = { after: '0', before: new Date(), most: 20 };
  const plan = await usesIndexes(database.worker, (tx) => findOrphanJobs(tx, integrationId, next));
  assert.match(plan, /Limit[^]*Index Only Scan using workflow_jobs_pkey/);
  assert.doesNotMatch(plan, /Bitmap/);
});

test('starting a job updates its row without an index write', async () => {
  const life = ['queued', 'waiting', 'in_progress'].map((status, index) =>
    eventOf('workflow_job', jobPayload({ id: 90_001, run_id: 90_000, status }), index),
  );
  const updates = await countUpdates(database, 'workflow_jobs', async (flush) => {
    for (const event of life) await flush({ integrationId }, (tx) => recordEvents(tx, [event]));
  });
  assert.ok(updates.all >= 2);
  assert.equal(updates.hot, updates.all);
});

test('the runs of a person come from the indexes of failed and of open runs', async () => {
  const failed = await usesIndexes(database.api, (tx) => listOwnFailedRuns(tx, [integrationId], 'ann', 20));
  assert.match(failed, /workflow_runs_failed_by_actor/);
  const open = await usesIndexes(database.api, (tx) => listOwnOpenRuns(tx, [integrationId], 'ann', 20));
  assert.match(open, /workflow_runs_open/);
});
