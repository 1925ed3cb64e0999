import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { setUpDispatcher } from '#test/support/alerts/notification-dispatcher.ts';
import { incidentsOf } from '#test/support/alerts/stored-alerts.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { holdInserts } from '#test/support/database/faults.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { untilSessionWaits, waitingSessions } from '#test/support/database/waiting-sessions.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { createRule, removeRule } from './save-rule.ts';

const { database, integrationFor, end } = await setUpDispatcher();
const deps = { db: database.api, sealer: makeSealer([testMasterKey]), refusal: () => undefined };
const actorId = randomUUID();

test('a rule that is created while the only other one is deleted is evaluated', async (t) => {
  const { integrationId, rule: old } = await integrationFor({ name: 'Old' });
  const place = { integrationId, actorId };
  const when = `new.type = 'rule.created'`;
  const goOn = await holdInserts(t, database, { table: 'event_log', when, outcome: 'stored' });
  const made = createRule(deps, place, ruleBody({ name: 'New' }));
  await untilSessionWaits(database, 'the creation');
  const removed = removeRule(database.api, place, old.ruleId);
  // It waits for the lock of the other transaction.
  await Promise.race([
    removed,
    waitUntil('the deletion to wait', async () => (await waitingSessions(database)) === 2),
  ]);
  await goOn();
  await Promise.all([made, removed]);
  await end(integrationId, 1, 'failure');
  assert.equal((await incidentsOf(database, integrationId)).length, 1);
});

test('an incident still closes after the last rule is deleted', async () => {
  const { integrationId, rule } = await integrationFor({});
  await end(integrationId, 1, 'failure');
  await removeRule(database.api, { integrationId, actorId }, rule.ruleId);
  await end(integrationId, 2, 'success');
  const closedBy = (await incidentsOf(database, integrationId)).map(({ closedByRunId }) => closedByRunId);
  assert.deepEqual(closedBy, [2]);
});

test('every process hears when an integration gets its first rule or loses its last', async (t) => {
  const integrationId = await insertIntegration(database);
  const place = { integrationId, actorId };
  let heard = 0;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(() => client.end());
  client.on(
    'notification',
    ({ channel }) => (heard += channel === 'integrations_with_rules_changed' ? 1 : 0),
  );
  await client.query('listen integrations_with_rules_changed');
  const count = async () => {
    await client.query('select 1');
    return heard;
  };
  const first = await createRule(deps, place, ruleBody({ name: 'First' }));
  assert.equal(await count(), 1);
  const second = await createRule(deps, place, ruleBody({ name: 'Second' }));
  await removeRule(database.api, place, first.ruleId);
  assert.equal(await count(), 1, 'it still has rules');
  await removeRule(database.api, place, second.ruleId);
  assert.equal(await count(), 2);
});
