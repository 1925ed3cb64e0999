import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUpDispatcher } from '#test/support/notification-dispatcher.ts';
import { waitUntil } from '#test/support/wait-until.ts';

const {
  database,
  receiver,
  start,
  integrationFor,
  integrationWith,
  turn,
  end,
  notifications,
  settled,
  webhook,
  typesTo,
} = await setUpDispatcher();

/** Breaks, is mended, and breaks again within the cooldown. */
async function brokenAgain(path: string) {
  const made = await integrationFor({ channels: [webhook(path)], cooldownMinutes: 10 });
  for (const [index, conclusion] of ['failure', 'success', 'failure'].entries())
    await end(made.integrationId, index + 1, conclusion);
  return made;
}

const passCooldown = (integrationId: string) =>
  database.asOwner(
    `update alert_outbox set due_at = now() where group_id = $1 and due_at > now() + interval '9 minutes'`,
    [integrationId],
  );

test('what is red when the cooldown has passed is told of then, and its end too', async (t) => {
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

test('a message that was held back begins no cooldown', async () => {
  const { integrationId } = await brokenAgain('/flaps');
  await end(integrationId, 4, 'success');
  await end(integrationId, 5, 'failure');
  const rows = await database.asOwner<{ after: number }>(
    `select extract(epoch from failure_at - min(failure_at) over ())::float8 as after from notifications
     where integration_id = $1 and kind = 'opened' and status <> 'held_back' order by created_at`,
    [integrationId],
  );
  assert.deepEqual(
    rows.map(({ after }) => after),
    [0, 600],
  );
});

test('a rule that is switched off between two messages keeps what it has told', async (t) => {
  const { integrationId, rule } = await integrationWith(webhook('/told'), webhook('/untold'));
  await end(integrationId, 1, 'failure');
  await database.asOwner(
    `update alert_outbox o set due_at = now() + interval '1 hour' from notifications n
     where n.notification_id = o.notification_id and n.channel_id = $1`,
    [rule.channels[1]?.channelId],
  );
  await start(t);
  const statuses = async () => (await notifications(integrationId)).map(({ status }) => status).sort();
  await waitUntil('the first channel', async () => (await statuses())[0] === 'sent');
  await turn(rule, false);
  await database.asOwner('update alert_outbox set due_at = now() where group_id = $1', [integrationId]);
  await settled(integrationId);
  assert.deepEqual(await statuses(), ['held_back', 'sent']);
});

test('a rule that was off when its message was due tells of the next failure when it is on again', async (t) => {
  const { integrationId, rule } = await integrationWith(webhook('/on-again'));
  await end(integrationId, 1, 'failure');
  await turn(rule, false);
  await start(t);
  await settled(integrationId);
  await turn(rule, true);
  await end(integrationId, 2, 'failure');
  await settled(integrationId);
  assert.deepEqual(typesTo('/on-again'), ['incident.opened']);
});

/** The rule is not asked when the branch gets green: it is off meanwhile. */
async function resolvedWhileOff({ integrationId, rule }: Awaited<ReturnType<typeof brokenAgain>>) {
  await turn(rule, false);
  await end(integrationId, 4, 'success');
  await turn(rule, true);
}

test('what is green again before the cooldown has passed, or whose rule was switched off, is held back', async (t) => {
  const mended = await brokenAgain('/mended');
  await end(mended.integrationId, 4, 'success');
  const off = await brokenAgain('/off');
  const unasked = await brokenAgain('/unasked');
  await resolvedWhileOff(unasked);
  await start(t);
  for (const path of ['/mended', '/off', '/unasked'])
    await waitUntil('the first break and its end', () => typesTo(path).length === 2);
  await turn(off.rule, false);
  for (const { integrationId } of [mended, off, unasked]) {
    await passCooldown(integrationId);
    const rows = await settled(integrationId);
    assert.deepEqual(rows.map(({ status }) => status).sort(), ['held_back', 'sent', 'sent']);
  }
  for (const path of ['/mended', '/off', '/unasked']) assert.equal(typesTo(path).length, 2);
});
