import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import pino from 'pino';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { startProgram } from '#server/main.ts';
import { incidentsOf, notificationsOf } from '#test/support/alerts/stored-alerts.ts';
import { logEntries } from '#test/support/data/log-entries.ts';
import { ageRows } from '#test/support/database/rows.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { RuleBody } from '#contract/alerts/alerts.ts';
import { saveSuccesses } from '#server/alerts/branches/success-store.ts';
import { setUpDispatcher } from '#test/support/alerts/notification-dispatcher.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { forgetHistory } from './forget-history.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { removeRule } from '#server/alerts/rules/save-rule.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

const { database, receiver, start, end, integrationFor, pendingNotifications, webhook } =
  await setUpDispatcher();
await start({ after });

/** An integration with a rule whose notifications were all sent two hours ago. */
async function watchedIntegration(notify: RuleBody['notify'] = 'incident') {
  const channels = [webhook('/ok')];
  const { integrationId, rule } = await integrationFor({ notify, channels });
  const place = { integrationId, actorId: randomUUID() };
  return {
    integrationId,
    end: async (runId: number, conclusion: string, hoursAgo = 0, branch = 'main') => {
      const completedAt = new Date(Date.now() - hoursAgo * hourMs);
      await end(integrationId, runId, conclusion, undefined, { completedAt, branch });
      await waitUntil('all sent', async () => (await pendingNotifications(integrationId)) === 0);
      const sent = await notificationsOf(database, integrationId);
      if (sent.length > 0)
        await ageRows(database, 'notifications.created_at', '2 hours', { integration_id: integrationId });
    },
    forgetOlderThanAnHour: () =>
      database.worker.withScope({ integrationId }, (tx) =>
        forgetHistory(tx, integrationId, Date.now(), { keepDays: 1 / 24 }),
      ),
    messages: async () => (await notificationsOf(database, integrationId)).map(({ kind }) => kind).sort(),
    withoutRules: () => removeRule(database.api, place, rule.ruleId),
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
  const position = { runId: 1, attempt: 1 };
  const successes = ['old', 'new'].map((name) => ({ key: Buffer.from(name), position }));
  await database.worker.withScope({ integrationId }, (tx) =>
    saveSuccesses(tx, integrationId, 'job', successes),
  );
  assert.equal(await forgetOlderThanAnHour(), 0);
  await ageRows(database, 'job_successes.at', '2 hours', { job_key: Buffer.from('old') });
  assert.equal(await forgetOlderThanAnHour(), 1);
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
  const forget = () =>
    database.worker.withScope({ integrationId }, (tx) =>
      forgetHistory(tx, integrationId, Date.now(), alertPolicy, limits),
    );
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
  await end(4, 'failure', 9, 'older');
  await end(5, 'failure', 20, 'oldest');
  const limits = { incidents: 2, failures: 100 };
  const forget = () =>
    database.worker.withScope({ integrationId }, (tx) =>
      forgetHistory(tx, integrationId, Date.now(), alertPolicy, limits),
    );
  assert.equal(await forget(), 2);
  assert.equal(await forget(), 0);
  const left = (await incidents()).map(({ branch }) => branch);
  assert.deepEqual(left, ['older', 'main']);
  await end(6, 'failure', 0, 'later');
  assert.equal(await forget(), 1);
  const entries = await logEntries(database, integrationId, 'incident.removed');
  assert.deepEqual(
    entries.map(({ title }) => title),
    ['There are more than 2 incidents. The oldest are removed.'],
  );
});

for (const [status, kept] of [
  [200, ['opened']],
  [500, ['opened', 'repeated']],
] as const) {
  test(`an open incident keeps its first notification, answered with ${status}, and the newest that is needed`, async () => {
    const { end, forgetOlderThanAnHour, messages } = await watchedIntegration('every_failure');
    receiver.setStatus('/ok', status);
    await end(1, 'failure');
    receiver.setStatus('/ok', 200);
    for (const runId of [2, 3]) await end(runId, 'failure');
    assert.deepEqual(await messages(), ['opened', 'repeated', 'repeated']);
    await forgetOlderThanAnHour();
    assert.deepEqual(await messages(), kept);
    await end(4, 'success');
    assert.deepEqual(await messages(), [...kept, 'recovered'].sort());
  });
}

test('a worker deletes old history of integrations without rules', async (t) => {
  const { end, incidents, withoutRules } = await watchedIntegration();
  await end(1, 'failure');
  await end(2, 'success');
  await withoutRules();
  await ageRows(database, 'incidents.closed_at', '91 days');
  const dataDir = await makeTemporaryDirectory();
  const worker = await startProgram(
    loadConfig({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testMasterKey.toString('base64'),
      DATA_DIR: dataDir,
    }),
    pino({ level: 'silent' }),
    ['worker'],
  );
  t.after(() => worker.stop());
  await waitUntil('nothing left', async () => (await incidents()).length === 0);
});
