import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { lockStreams } from '#server/realtime/outbox/append-updates.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import {
  jobPayload,
  parsedEvent,
  pullRequestPayload,
  reviewPayload,
  deploymentPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { Tx } from '#platform/database/database.ts';
import { deleteOldRuns, makeDeleteOldJobs } from './delete-old-runs.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { makeMaintenance } from './maintenance.ts';
import { addPerson } from '#test/support/team/people.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { storedRuns } from '#test/support/data/reading/stored-runs.ts';
import { findPullRequests } from '#server/pull-requests/find-pull-requests.ts';
import { readPullRequest } from '#server/pull-requests/read-pull-request.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { readMetrics } from '#server/rollups/dashboards/read-metrics.ts';
import { countRows } from '#test/support/database/rows.ts';

const database = await createTestDatabase();
const ownerId = await addPerson(database);
const made: string[] = [];
const deps = { db: database.api, sealer: makeSealer([testMasterKey]) };
async function make(label: string) {
  const created = await createIntegration(deps, { label, ownerId });
  made.push(created.integrationId);
  return created;
}
const { integrationId } = await make('Old');

function eventsOf(id: number, daysAgo: number, of = integrationId): MonitoringEvent[] {
  const time = new Date(Date.now() - daysAgo * dayMs).toISOString();
  const completed = { status: 'completed', conclusion: 'success', created_at: time, updated_at: time };
  return [
    {
      eventType: 'workflow_run' as const,
      payload: runPayload({ id, run_attempt: 2, run_started_at: time, ...completed }),
    },
    {
      eventType: 'workflow_run' as const,
      payload: runPayload({ id, run_attempt: 1, run_started_at: time, ...completed }),
    },
    {
      eventType: 'workflow_job' as const,
      payload: jobPayload({ id, run_id: id, started_at: time, completed_at: time, ...completed }),
    },
  ].map((event) => parsedEvent({ ...event, integrationId: of }));
}

const maintenanceOf = (
  runRetentionDays: number | undefined,
  other: (tx: Tx, integrationId: string) => Promise<number> = async () => 0,
) =>
  makeMaintenance({
    db: database.worker,
    lock: lockStreams,
    log: pino({ level: 'silent' }),
    clock: Date.now,
    runRetentionDays,
    everyMs: 10,
    others: [other],
  });

test('maintenance deletes runs with attempts and jobs beyond the retention, if one is set, and keeps their numbers', async (t) => {
  await database.worker.withScope({ integrationId }, (tx) =>
    recordEvents(tx, [...eventsOf(1, 40), ...eventsOf(2, 31), ...eventsOf(3, 29)]),
  );
  const left = async () => (await storedRuns(database, integrationId)).map(({ runId }) => runId);

  let turns = 0;
  const keeping = maintenanceOf(undefined, async () => ((turns += 1), 0));
  t.after(() => keeping.stop());
  await keeping.start();
  await waitUntil('a maintenance run', () => turns > 1);
  await keeping.stop();
  assert.deepEqual(await left(), [3, 2, 1]);

  const maintenance = maintenanceOf(30);
  t.after(() => maintenance.stop());
  await maintenance.start();
  await waitUntil('old runs are gone', async () => (await left()).length === 1);
  await maintenance.stop();
  assert.deepEqual(await left(), [3]);
  for (const table of ['workflow_run_attempts', 'workflow_jobs']) {
    assert.equal(await countRows(database, table), 1, table);
    assert.equal(await countRows(database, table, { run_id: 3 }), 1, table);
  }
  const period = { from: new Date(Date.now() - 60 * dayMs).toISOString() };
  const { total } = await database.api.withScope({ integrationId }, (tx) =>
    readMetrics(tx, integrationId, period, Date.now(), new DashboardCache()),
  );
  assert.equal(total.runs, 3);
});

test('maintenance deletes old jobs without a stored run, no matter how many younger jobs precede them', async (t) => {
  const jobsAlone = await make('Jobs alone');
  const insert = (from: number, to: number, daysAgo: number, attempt = 1) =>
    database.asOwner(
      `insert into workflow_jobs (integration_id, run_id, attempt, job_id, version, repository, status, on_default_branch,
         name, labels, steps, created_at)
       select $1, n, $5, n, '', 'acme/site', 'queued', true, 'build', '{}', '[]', now() - $4 * interval '1 day'
       from generate_series($2::int, $3::int) n`,
      [jobsAlone.integrationId, from, to, daysAgo, attempt],
    );
  await insert(1, 60_000, 29);
  await insert(60_001, 65_000, 31);
  await insert(65_001, 65_010, 29);
  // Jobs of a stored run, and of a run that also has a younger job.
  await insert(60_000, 60_000, 31, 2);
  await insert(65_000, 65_000, 29, 2);
  await database.asOwner(
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch,
       created_at, pull_requests)
     values ($1, 60000, 1, '', 'acme/site', 'queued', true, now(), '{}')`,
    [jobsAlone.integrationId],
  );
  const maintenance = maintenanceOf(30);
  t.after(() => maintenance.stop());
  await maintenance.start();
  const count = async (where: string) => {
    const [row] = await database.asOwner<{ count: number }>(
      `select count(*)::int as count from workflow_jobs where integration_id = $1 and ${where}`,
      [jobsAlone.integrationId],
    );
    return row?.count;
  };
  await waitUntil('old jobs are gone', async () => (await count('run_id between 60001 and 65000')) === 1);
  await maintenance.stop();
  assert.equal(await count('true'), 60_012);
});

test('maintenance locks the integration before it deletes runs and jobs', async () => {
  const { integrationId } = await make('Busy');
  const deps = { db: database.worker, lock: lockStreams, clock: Date.now, runRetentionDays: 30 };
  const old = eventsOf(7, 40, integrationId);
  const [runs, jobs] = ['workflow_run', 'workflow_job'].map((type) =>
    old.filter((event) => event.type === type),
  );
  for (const [events, table, forget] of [
    [runs, 'workflow_runs', () => deleteOldRuns(deps, integrationId)],
    [jobs, 'workflow_jobs', () => makeDeleteOldJobs(deps)(integrationId, new AbortController().signal)],
  ] as const) {
    let forgotten: Promise<unknown> | undefined;
    await database.worker.withScope({ integrationId }, async (tx) => {
      await recordEvents(tx, events!);
    });
    await database.worker.withScope({ integrationId }, async (tx) => {
      await lockStreams(tx, [integrationId]);
      forgotten = forget();
      await untilSessionWaits(database, 'a session');
    });
    await forgotten;
    assert.equal(await countRows(database, table, { integration_id: integrationId }), 0);
  }
});

test('maintenance goes on with other integrations when one fails or never finishes', async (t) => {
  await make('Another');
  for (const failing of [async () => Promise.reject(new Error('never')), async () => 1]) {
    const reached = new Set<string>();
    const [first] = made;
    const maintenance = maintenanceOf(
      undefined,
      async (_tx, id) => (reached.add(id), id === first ? failing() : 0),
    );
    t.after(() => maintenance.stop());
    await maintenance.start();
    await waitUntil('a run for each integration', () => reached.size === made.length);
    await maintenance.stop();
  }
});

test('maintenance deletes pull requests, reviews and deployments that were not changed within the retention', async (t) => {
  const pulls = await make('Pull requests');
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
  const events = [31, 29].flatMap((days, index) => [
    {
      eventType: 'pull_request' as const,
      payload: pullRequestPayload({ number: index + 1, updated_at: daysAgo(days) }),
    },
    {
      eventType: 'pull_request_review' as const,
      payload: reviewPayload(
        { id: index + 1, submitted_at: daysAgo(days), user: { login: `reviewer ${index}` } },
        { pull_request: { number: 2 } },
      ),
    },
    {
      eventType: 'deployment_status' as const,
      payload: deploymentPayload({ updated_at: daysAgo(days) }, { id: index + 1 }),
    },
  ]);
  const parsed = events.map((event) => parsedEvent({ ...event, integrationId: pulls.integrationId }));
  await database.worker.withScope({ integrationId: pulls.integrationId }, (tx) => recordEvents(tx, parsed));
  const { integrationId } = pulls;
  const left = () =>
    database.api.withScope({ integrationId }, async (tx) => ({
      numbers: (await findPullRequests(tx, integrationId, {})).items.map(({ number }) => number),
      reviewers: (await readPullRequest(tx, deps.sealer, integrationId, 2, undefined)).reviews.map(
        ({ author }) => author,
      ),
    }));
  assert.deepEqual((await left()).numbers.toSorted(), [1, 2]);
  assert.equal((await left()).reviewers.length, 2);
  await database.asOwner(
    `insert into deployment_marks (integration_id, deployment_key, has_failed, marked_at)
     select $1, 'deployment-' || n, true, now() - (32 - n) * interval '1 day' from unnest(array[1, 3]) n`,
    [integrationId],
  );
  const maintenance = maintenanceOf(30);
  t.after(() => maintenance.stop());
  await maintenance.start();
  await waitUntil('the old ones are gone', async () => (await left()).reviewers.length === 1);
  assert.deepEqual(await left(), { numbers: [2], reviewers: ['reviewer 1'] });
  const deployments = await database.asOwner(
    'select deployment_id from deployments where integration_id = $1',
    [integrationId],
  );
  assert.deepEqual(deployments, [{ deployment_id: '2' }]);
  const marks = await database.asOwner(
    'select deployment_key from deployment_marks where integration_id = $1',
    [integrationId],
  );
  assert.deepEqual(marks, [{ deployment_key: 'deployment-3' }]);
});
