import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import pino from 'pino';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { startProgram } from '#server/main.ts';
import { incidentsOf, notificationsOf } from '#test/support/alerts/stored-alerts.ts';
import { logEntries } from '#test/support/data/log-entries.ts';
import { ageRows } from '#test/support/database/rows.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { evaluateRules } from '#server/alerts/evaluation/evaluate-rules.ts';
import { forgetHistory } from './forget-history.ts';
import { insertPendingEvaluations } from '#server/alerts/evaluation/completion-store.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { createRule, removeRule } from '#server/alerts/rules/save-rule.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { storeRun } from '#test/support/alerts/store-completions.ts';

const database = await createTestDatabase();
/** An integration with a rule whose notifications were all sent two hours ago. */
async function watchedIntegration() {
  const integrationId = randomUUID();
  await insertIntegration(database, integrationId);
  const deps = { db: database.api, sealer: makeSealer([testMasterKey]), refusal: () => undefined };
  const channels = [{ type: 'email' as const, to: ['ann@example.com'] }];
  const place = { integrationId, actorId: randomUUID() };
  const { ruleId } = await createRule(deps, place, ruleBody({ channels }));
  return {
    integrationId,
    end: async (runId: number, conclusion: string, hoursAgo = 0) => {
      const completedAt = new Date(Date.now() - hoursAgo * hourMs);
      await storeRun(database, integrationId, runId, { conclusion, completedAt });
      const isGreen = conclusion === 'success';
      await database.worker.withScope({ integrationId }, async (tx) => {
        await insertPendingEvaluations(tx, [
          { integrationId, runId, attempt: 1, jobId: null, isGreen, deliverySeq: null, receivedAt: null },
        ]);
        await evaluateRules(tx, integrationId, alertPolicy, Date.now(), 10);
      });
      await database.asOwner(
        `update notifications set status = 'sent', created_at = now() - interval '2 hours' where integration_id = $1`,
        [integrationId],
      );
    },
    forgetOlderThanAnHour: () =>
      forgetHistory(database.worker, integrationId, Date.now(), { keepDays: 1 / 24 }),
    messages: async () => (await notificationsOf(database, integrationId)).map(({ kind }) => kind).sort(),
    withoutRules: () => removeRule(database.api, place, ruleId),
    incidents: () => incidentsOf(database, integrationId),
  };
}

test('an open incident is not notified again after its notification is old, but its recovery is', async () => {
  const { end, forgetOlderThanAnHour, messages } = await watchedIntegration();
  await end(1, 'failure', 2);
  await end(2, 'failure');
  await forgetOlderThanAnHour();
  assert.deepEqual(await messages(), ['opened']);
  await end(3, 'failure');
  assert.deepEqual(await messages(), ['opened']);
  await end(4, 'success');
  assert.deepEqual(await messages(), ['opened', 'recovered']);
  await forgetOlderThanAnHour();
  assert.deepEqual(await messages(), []);
});

test('a recent success is kept, so that an older failure stays resolved', async () => {
  const { end, forgetOlderThanAnHour, messages } = await watchedIntegration();
  await end(1, 'success');
  await ageRows(database, 'branch_successes.at', '2 hours');
  await end(3, 'success');
  await forgetOlderThanAnHour();
  await end(2, 'failure');
  assert.deepEqual(await messages(), []);
});

test('old successes of jobs are deleted', async () => {
  const { integrationId, forgetOlderThanAnHour } = await watchedIntegration();
  await database.asOwner(
    `insert into job_successes (integration_id, job_key, run_id, attempt, at)
     select $1, key::bytea, 1, 1, now() - age from (values ('old', interval '2 hours'), ('new', '0')) v (key, age)`,
    [integrationId],
  );
  await forgetOlderThanAnHour();
  const left = await database.asOwner<{ job_key: Buffer }>('select job_key from job_successes');
  assert.deepEqual(
    left.map(({ job_key: key }) => key.toString()),
    ['new'],
  );
});

test('an open incident without recent failures is deleted', async () => {
  const { end, forgetOlderThanAnHour, messages, incidents } = await watchedIntegration();
  await end(1, 'failure', 2);
  await forgetOlderThanAnHour();
  assert.deepEqual([await incidents(), await messages()], [[], []]);
  await end(2, 'failure');
  assert.deepEqual(await messages(), ['opened']);
});

test('an incident that fails for a long time keeps its newest failures and still recovers', async () => {
  const { integrationId, end, messages } = await watchedIntegration();
  const limits = { incidents: 10, failures: 3 };
  const forget = () => forgetHistory(database.worker, integrationId, Date.now(), alertPolicy, limits);
  for (const runId of [1, 2, 3, 4, 5]) await end(runId, 'failure');
  assert.equal(await forget(), 2);
  assert.equal(await forget(), 0);
  await end(6, 'success');
  assert.deepEqual(await messages(), ['opened', 'recovered']);
});

test('beyond the limit of incidents the oldest are deleted, closed ones first, and the event log says so', async () => {
  const { integrationId, end, incidents } = await watchedIntegration();
  await end(1, 'failure', 5);
  await end(2, 'success', 4);
  await end(3, 'failure', 3);
  const add = (branch: string, hours: number, isOpen: boolean) =>
    database.asOwner(
      `insert into incidents (integration_id, branch_key, repository, workflow, branch, opened_at, closed_at, close_reason,
         failed_runs, failed_jobs, first_failure, last_failure)
       select $1, $2::text::bytea, repository, workflow, $2, now() - $3 * interval '1 hour', case when $4 then null else now() end,
         case when $4 then null else 'recovered' end, 1, 0, first_failure, last_failure
       from incidents where integration_id = $1 and branch = 'main' and closed_at is null`,
      [integrationId, branch, hours, isOpen],
    );
  await add('older', 9, true);
  await add('oldest', 20, true);
  const limits = { incidents: 2, failures: 100 };
  const forget = () => forgetHistory(database.worker, integrationId, Date.now(), alertPolicy, limits);
  assert.equal(await forget(), 2);
  assert.equal(await forget(), 0);
  const left = (await incidents()).map(({ branch }) => branch);
  assert.deepEqual(left, ['older', 'main']);
  await add('later', 0, true);
  assert.equal(await forget(), 1);
  const entries = await logEntries(database, integrationId, 'incident.removed');
  assert.deepEqual(
    entries.map(({ title }) => title),
    ['There are more than 2 incidents. The oldest are removed.'],
  );
});

test('an open incident keeps the newest notification of each rule about a failure', async () => {
  const { integrationId, end, forgetOlderThanAnHour, messages } = await watchedIntegration();
  await end(1, 'failure');
  await database.asOwner(
    `insert into notifications (integration_id, rule_id, channel_id, incident_id, branch_key, kind, status, channel_type, target,
       created_at)
     select integration_id, rule_id, channel_id, incident_id, branch_key, 'repeated', 'sent', channel_type, target,
       created_at + n * interval '1 minute'
     from notifications cross join generate_series(1, 3) n where integration_id = $1`,
    [integrationId],
  );
  await forgetOlderThanAnHour();
  assert.deepEqual(await messages(), ['opened']);
  await database.asOwner(`update notifications set kind = 'repeated' where integration_id = $1`, [
    integrationId,
  ]);
  await forgetOlderThanAnHour();
  assert.deepEqual(await messages(), ['repeated']);
  await end(2, 'success');
  assert.deepEqual(await messages(), ['recovered', 'repeated']);
});

test('a worker deletes old history of integrations without rules', async (t) => {
  const { end, incidents, withoutRules } = await watchedIntegration();
  await end(1, 'failure');
  await end(2, 'success');
  await withoutRules();
  await ageRows(database, 'incidents.closed_at', '91 days');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'forgewatch-data-'));
  const worker = await startProgram(
    loadConfig({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testMasterKey.toString('base64'),
      DATA_DIR: dataDir,
    }),
    pino({ level: 'silent' }),
    ['worker'],
  );
  t.after(async () => {
    await worker.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  await waitUntil('nothing left', async () => (await incidents()).length === 0);
});
