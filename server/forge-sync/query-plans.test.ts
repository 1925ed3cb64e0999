import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Tx } from '#platform/database/database.ts';
import { requestReading, requestWebhookUpdate } from '#server/forge-tasks/request-tasks.ts';
import { listDue, listWaitingConnections } from '#server/failures/reading/reading-store.ts';
import { insertPending } from '#server/failures/storing/pending-store.ts';
import { finishTask, rescheduleTask } from '#server/tasks/store.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { plansOf } from '#test/support/database/query-plans.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { deleteFinishedChecks, listUnfinishedRuns, upsertCheck } from './check-store.ts';
import { findNextPage } from './history/history-store.ts';
import { listWebhooksToSave } from './store.ts';
import { readConnection, type ForgeTask } from './task-store.ts';

const database = await createTestDatabase();
const integrationIds = await Promise.all(Array.from({ length: 20 }, () => insertIntegration(database)));
const integrationId = integrationIds[0]!;
const task: ForgeTask = {
  kind: 'forge-logs',
  integrationId,
  key: '7',
  installationId: '7',
  account: 'acme',
  isLinked: true,
  isSuspended: false,
  isGone: false,
  since: null,
  startedAt: null,
  failures: 0,
};

before(async () => {
  await database.asOwner(
    `insert into forge_installations (installation_id, account_id, account_login, account_type, as_of)
     select n, n, 'acme-' || n, 'Organization', now() from generate_series(1, 1000) n`,
  );
  for (const text of [
    `insert into tasks (integration_id, key, kind, due_at)
     select id, n, kind, now() from unnest($1::uuid[]) id, generate_series(1, 50) n,
       unnest('{forge-webhooks,forge-history,forge-unfinished,forge-logs}'::text[]) kind`,
    `insert into linked_repositories (integration_id, installation_id, repository, history_next_page)
     select id, n % 50, 'acme/site-' || n, 1 from unnest($1::uuid[]) id, generate_series(1, 500) n`,
    `insert into run_checks (integration_id, run_id, times, next_at)
     select id, n, 1, now() from unnest($1::uuid[]) id, generate_series(1, 500) n`,
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, created_at,
       pull_requests, completed_at)
     select id, n, 1, '', 'acme/site-' || n, 'completed', true, now() - n * interval '1 hour', '{}', case when n % 20 > 0 then now() end
     from unnest($1::uuid[]) id, generate_series(1, 500) n`,
    `insert into workflow_jobs (integration_id, run_id, attempt, version, repository, status, on_default_branch, job_id, name, labels,
       steps, created_at)
     select id, n, 1, '', 'acme/site-' || n, 'completed', true, n, 'build', '{}', '[]', now()
     from unnest($1::uuid[]) id, generate_series(1, 500) n`,
    `insert into pending_failures (group_id, run_id, attempt, job_id, waits_for_log)
     select id, n, 1, n, true from unnest($1::uuid[]) id, generate_series(1, 500) n`,
  ])
    await database.asOwner(text, [integrationIds]);
  await database.asOwner('analyze');
});

for (const [name, work] of [
  ['the task of a connection', (tx) => rescheduleTask(tx, task, 1000)],
  ['a task that is done', (tx) => finishTask(tx, task)],
  ['the connection of a task', (tx) => readConnection(tx, integrationId, '7')],
  ['tasks that are requested', (tx) => requestReading(tx, integrationId, 'forge-logs', ['7', '8'])],
  ['the tasks of an integration', (tx) => requestWebhookUpdate(tx, integrationId)],
  ['unfinished runs', (tx) => listUnfinishedRuns(tx, task, { silentMs: 1000, most: 25 })],
  ['the check of a run', (tx) => upsertCheck(tx, integrationId, '7', 1000)],
  ['checks that are over', (tx) => deleteFinishedChecks(tx, integrationId)],
  ['the next page of history', (tx) => findNextPage(tx, task)],
  ['webhooks to save', (tx) => listWebhooksToSave(tx, task, Buffer.alloc(1), 50)],
  ['connections with logs that are due', (tx) => listWaitingConnections(tx, integrationId)],
  ['logs that are due', (tx) => listDue(tx, integrationId, '7', 10)],
  [
    'whether a failure waits for its log',
    (tx) =>
      insertPending(tx, [
        {
          integrationId,
          repository: 'acme/site-7',
          runId: 9000,
          attempt: 1,
          jobId: 9000,
          isCancelled: false,
        },
      ]),
  ],
] as [string, (tx: Tx) => Promise<unknown>][])
  test(`indexes find ${name}`, async () => {
    const plan = await plansOf(database.worker, integrationId, work);
    assert.doesNotMatch(plan, /Seq Scan/, plan);
  });
