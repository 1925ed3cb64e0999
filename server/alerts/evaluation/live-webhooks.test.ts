import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery, DeliveryDetail, DeliveryStep } from '#contract/deliveries/deliveries.ts';
import type { NotificationRule } from '#contract/alerts/alerts.ts';
import type { Incident, Notification } from '#contract/alerts/incidents.ts';
import { endOfJob, endOfRun, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';

const { program, call, items, addRule, post, mailsTo } = await startAlertProgram();
const { database, createIntegration } = program;

const twoDaysAgo = -2 * 86_400;

/** The step `alerted` of the newest delivery, once its rules are evaluated and their notifications are sent. */
const alerted = (integration: CreatedIntegration): Promise<DeliveryStep> =>
  waitUntil('the rules to be evaluated', async () => {
    const [newest] = await items<Delivery>(integration, 'deliveries');
    const answer = await call(integration, 'GET', `deliveries/${newest?.deliveryId}`);
    const { steps } = (await answer.json()) as DeliveryDetail;
    const step = steps.find((each) => each.step === 'alerted');
    if (step !== undefined && step.outcome !== 'waiting') return step;
    // The API answers only so many requests a minute.
    await delay(100);
    return undefined;
  });

const email = (to: string) => ({ channels: [{ type: 'email' as const, to: [to] }] });
const rulesOf = ({ rules = [] }: DeliveryStep) =>
  rules.map(({ name, outcome, reason }) => [name, outcome, reason]);

test('a failure of two days ago is not notified, although its webhook just arrived', async () => {
  const integration = await createIntegration();
  await addRule(integration, { name: 'All', ...email('old@example.com') });
  await post(integration, 'workflow_job', endOfJob(1, 1, 'failure', twoDaysAgo));
  const step = await alerted(integration);
  assert.deepEqual([step.outcome, rulesOf(step)], ['skipped', [['All', 'suppressed', 'too_old']]]);
  assert.deepEqual(await items<Incident>(integration, 'incidents'), []);
  assert.deepEqual(mailsTo('old@example.com'), []);
});

test('a replay of an old completion suppresses the notification and shows the reason', async () => {
  const integration = await createIntegration();
  await post(integration, 'workflow_job', endOfJob(2, 2, 'failure', twoDaysAgo));
  const [delivery] = await waitUntil('the delivery to be stored', async () => {
    const all = await items<Delivery>(integration, 'deliveries');
    return all[0]?.verdict === 'stored' && all;
  });
  await deleteRows(database, 'workflow_jobs', { integration_id: integration.integrationId });
  await addRule(integration, { name: 'All', ...email('replay@example.com') });
  const replayed = await call(integration, 'POST', `deliveries/${delivery?.deliveryId}/replay`);
  assert.ok(replayed.ok, await replayed.text());
  await waitUntil('the replay to be stored', async () => {
    const [newest] = await items<Delivery>(integration, 'deliveries');
    return newest?.replayed === true && newest.verdict === 'stored';
  });
  const step = await alerted(integration);
  assert.deepEqual([step.outcome, rulesOf(step)], ['skipped', [['All', 'suppressed', 'too_old']]]);
  assert.deepEqual(await items<Incident>(integration, 'incidents'), []);
});

test('a delivery shows which rules matched, were suppressed, and sent', async () => {
  const integration = await createIntegration();
  await post(
    integration,
    'workflow_run',
    endOfRun(9, 'in_progress', 1, { status: 'in_progress', conclusion: null }),
  );
  assert.match((await alerted(integration)).detail ?? '', /No rule is enabled, or/);
  await addRule(integration, { name: 'Once', ...email('once@example.com') });
  await addRule(integration, { name: 'Silent', channels: [] });
  await addRule(integration, { name: 'Other', branches: { include: ['topic'], exclude: [] } });
  await addRule(integration, { name: 'Each', notify: 'every_failure', ...email('each@example.com') });
  await post(integration, 'workflow_run', endOfRun(10, 'failure', 10));
  const first = await alerted(integration);
  assert.deepEqual(rulesOf(first), [
    ['Once', 'sent', null],
    ['Silent', 'suppressed', 'no_channel'],
    ['Each', 'sent', null],
  ]);
  assert.match(first.detail ?? '', /3 rules match, 1 suppressed/);
  await post(integration, 'workflow_run', endOfRun(11, 'failure', 20));
  const second = await alerted(integration);
  assert.deepEqual(rulesOf(second), [
    ['Once', 'suppressed', 'already_notified'],
    ['Silent', 'suppressed', 'no_channel'],
    ['Each', 'sent', null],
  ]);
  await post(integration, 'workflow_run', endOfRun(12, 'success', 30));
  const end = await alerted(integration);
  assert.match(end.detail ?? '', /It resolved an incident/);
  assert.deepEqual(rulesOf(end), [
    ['Once', 'sent', null],
    ['Each', 'sent', null],
  ]);
  await post(integration, 'workflow_run', endOfRun(13, 'success', 40));
  assert.match((await alerted(integration)).detail ?? '', /no incident was open/);
});

test('a rule for every failure mails each failed job of a broken branch', async () => {
  const integration = await createIntegration();
  const fields = { name: 'Each', notify: 'every_failure' as const, ...email('every@example.com') };
  const rule = await addRule(integration, fields);
  assert.equal(rule.notify, 'every_failure');
  await post(
    integration,
    'workflow_run',
    endOfRun(20, 'in_progress', 1, { status: 'in_progress', conclusion: null }),
  );
  for (const job of [1, 2, 3]) {
    await post(integration, 'workflow_job', endOfJob(20, job, 'failure', 10 * job));
    await waitUntil('a mail for each failure', () => mailsTo('every@example.com').length === job);
  }
  const history = await waitUntil('all to be noted as sent', async () => {
    const all = await items<Notification>(integration, `notification-rules/${rule.ruleId}/deliveries`);
    return all.every(({ status }) => status === 'sent') && all;
  });
  assert.deepEqual(
    history.map(({ kind }) => kind),
    ['repeated', 'repeated', 'opened'],
  );
  assert.match(mailsTo('every@example.com')[2]?.source ?? '', /failed again/);
  const [listed] = await items<NotificationRule>(integration, 'notification-rules');
  assert.equal(listed?.notify, 'every_failure');
  assert.equal((await items<Incident>(integration, 'incidents')).length, 1);
});
