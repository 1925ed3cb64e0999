import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotificationRule, TestSendAnswer } from '#contract/alerts/alerts.ts';
import type { Delivery, DeliveryDetail } from '#contract/deliveries/deliveries.ts';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import type { Notification } from '#contract/alerts/incidents.ts';
import { endOfJob, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { notificationsOf } from '#test/support/alerts/stored-alerts.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { updateRows } from '#test/support/database/rows.ts';

const { program, call, items, addRule, post, mailsTo } = await startAlertProgram();
const integration = await program.createIntegration();
const limited = /Mail limit reached: 1000 a day for an integration; each address counts\. Next mails after/;

const sendTest = async ({ ruleId }: NotificationRule): Promise<TestSendAnswer['results']> => {
  const answer = await call(integration, 'POST', `notification-rules/${ruleId}/test`);
  assert.equal(answer.status, 200, await answer.clone().text());
  return ((await answer.json()) as TestSendAnswer).results;
};

test('a mail to a non-member says why they get it, and its rule name is no link', async () => {
  const channels = [{ type: 'email' as const, to: ['stranger@example.com'] }];
  const rule = await addRule(integration, { name: 'Win at https://evil.example', channels });
  assert.deepEqual(
    (await sendTest(rule)).map(({ sent }) => sent),
    [true],
  );
  const [mail] = mailsTo('stranger@example.com');
  const text = (mail?.source ?? '').replaceAll('=\r\n', '');
  assert.match(text, /You get this mail because a member of .* added this address to a notification rule/);
  assert.match(text, /To stop these mails, ask that team/);
  assert.match(text, /evil/);
  assert.doesNotMatch(text, /https:\/\/evil|evil\.example/);
});

test('each page shows why no mail was sent when the limit is reached', async () => {
  const channels = [{ type: 'email' as const, to: ['beyond@example.com'] }];
  const rule = await addRule(integration, { name: 'Limited', channels });
  await sendTest(rule);
  await updateRows(program.database, 'mail_counts', { mails: 1000 });
  const [result] = await sendTest(rule);
  assert.equal(result?.sent, false);
  assert.match(result?.problem ?? '', limited);

  await post(integration, 'workflow_job', endOfJob(1, 1, 'failure', 10));
  await waitUntil('the notification to fail', async () => {
    const all = await notificationsOf(program.database, integration.integrationId);
    return all.some(({ kind, status }) => kind === 'opened' && status === 'failed');
  });
  const [delivery] = await items<Delivery>(integration, 'deliveries');
  const answer = await call(integration, 'GET', `deliveries/${delivery?.deliveryId}`);
  const { steps } = (await answer.json()) as DeliveryDetail;
  const step = steps.find((each) => each.step === 'alerted');
  const told = step?.rules?.find(({ ruleId }) => ruleId === rule.ruleId);
  assert.equal(told?.outcome, 'failed');
  assert.match(told?.detail ?? '', /^Sent to 0 of 1 channel\. Mail limit reached: 1000 a day/);
  const history = await items<Notification>(integration, `notification-rules/${rule.ruleId}/deliveries`);
  const [newest] = history;
  assert.deepEqual([newest?.kind, newest?.status], ['opened', 'failed']);
  assert.match(newest?.problem ?? '', limited);
  const entries = await items<LogEntry>(integration, 'event-log?type=alert.failed');
  assert.ok(
    entries.some(({ title }) => title.startsWith('“Limited” could not notify') && limited.test(title)),
  );
  assert.equal(mailsTo('beyond@example.com').length, 1);
});
