import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUpDispatcher } from '#test/support/alerts/notification-dispatcher.ts';
import { readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const {
  database,
  receiver,
  start,
  integrationFor,
  integrationWith,
  passCooldown,
  reschedule,
  dueTimes,
  end,
  notifications,
  settled,
  webhook,
  typesTo,
} = await setUpDispatcher();

/** A branch that fails, recovers, and fails again within the cooldown. */
async function brokenAgain(path: string) {
  const made = await integrationFor({ channels: [webhook(path)], cooldownMinutes: 10 });
  for (const [index, conclusion] of ['failure', 'success', 'failure'].entries())
    await end(made.integrationId, index + 1, conclusion);
  return made;
}

test('a branch that is broken at the end of the cooldown is notified then, with its recovery', async (t) => {
  const { integrationId } = await brokenAgain('/again');
  await start(t);
  await waitUntil('the first break and its end', () => typesTo('/again').length === 2);
  await passCooldown(integrationId);
  await waitUntil('the second break', () => typesTo('/again').length === 3);
  await settled(integrationId);
  await end(integrationId, 4, 'success');
  await settled(integrationId);
  const { data } = JSON.parse(receiver.callsTo('/again')[2]!.body);
  assert.equal(data.failure.runId, 3);
  assert.deepEqual(typesTo('/again'), [
    'incident.opened',
    'incident.closed',
    'incident.opened',
    'incident.closed',
  ]);
});

test('a runner whose clock is ahead does not prolong the cooldown', async () => {
  const { integrationId } = await integrationFor({ channels: [webhook('/skewed')], cooldownMinutes: 10 });
  const completedAt = new Date(Date.now() + 86_400_000);
  await end(integrationId, 1, 'failure', undefined, { completedAt });
  await end(integrationId, 2, 'success');
  await end(integrationId, 3, 'failure');
  const latest = Math.max(...(await dueTimes(integrationId)));
  assert.ok(latest < Date.now() + 601_000, new Date(latest).toISOString());
});

test('a suppressed notification does not start a cooldown', async () => {
  const { integrationId } = await brokenAgain('/flaps');
  await end(integrationId, 4, 'success');
  await end(integrationId, 5, 'failure');
  const opened = { integration_id: integrationId, kind: 'opened' };
  const rows = await readRows<{ status: string; failure_at: Date }>(database, 'notifications', opened);
  const [first = 0, second = 0, ...more] = rows
    .filter(({ status }) => status !== 'held_back')
    .map(({ failure_at: at }) => Number(at))
    .sort((a, b) => a - b);
  assert.deepEqual([second - first, more], [600_000, []]);
});

test('a rule that is disabled between two notifications keeps the sent one', async (t) => {
  const { integrationId, rule, setEnabled } = await integrationWith(webhook('/told'), webhook('/untold'));
  await end(integrationId, 1, 'failure');
  await reschedule({ channel_id: rule.channels[1]!.channelId }, 3_600_000);
  await start(t);
  const statuses = async () => (await notifications(integrationId)).map(({ status }) => status).sort();
  await waitUntil('the first channel', async () => (await statuses())[0] === 'sent');
  await setEnabled(false);
  await reschedule({ channel_id: rule.channels[1]!.channelId }, 0);
  await settled(integrationId);
  assert.deepEqual(await statuses(), ['held_back', 'sent']);
});

test('a rule that was disabled when its notification was due notifies about the next failure', async (t) => {
  const { integrationId, setEnabled } = await integrationWith(webhook('/on-again'));
  await end(integrationId, 1, 'failure');
  await setEnabled(false);
  await start(t);
  await settled(integrationId);
  await setEnabled(true);
  await end(integrationId, 2, 'failure');
  await settled(integrationId);
  assert.deepEqual(typesTo('/on-again'), ['incident.opened']);
});

/** The branch recovers while the rule is disabled. */
async function resolvedWhileOff({ integrationId, setEnabled }: Awaited<ReturnType<typeof brokenAgain>>) {
  await setEnabled(false);
  await end(integrationId, 4, 'success');
  await setEnabled(true);
}

test('a notification is suppressed when the branch recovers within the cooldown or the rule is disabled', async (t) => {
  const resolved = await brokenAgain('/resolved');
  await end(resolved.integrationId, 4, 'success');
  const off = await brokenAgain('/off');
  const ruleOff = await brokenAgain('/ruleOff');
  await resolvedWhileOff(ruleOff);
  await start(t);
  for (const path of ['/resolved', '/off', '/ruleOff'])
    await waitUntil('the first break and its end', () => typesTo(path).length === 2);
  await off.setEnabled(false);
  for (const { integrationId } of [resolved, off, ruleOff]) {
    await passCooldown(integrationId);
    const rows = await settled(integrationId);
    assert.deepEqual(rows.map(({ status }) => status).sort(), ['held_back', 'sent', 'sent']);
  }
  for (const path of ['/resolved', '/off', '/ruleOff']) assert.equal(typesTo(path).length, 2);
});
