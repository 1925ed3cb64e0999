import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUpAlertSending } from '#test/support/alert-sending.ts';
import { waitUntil } from '#test/support/wait-until.ts';

const { database, receiver, start, integrationFor, end, settled, webhook, typesTo } =
  await setUpAlertSending();

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

/** The rule is not asked when the branch gets green: it is off meanwhile. */
async function mendedUnasked({ integrationId, rule }: Awaited<ReturnType<typeof brokenAgain>>) {
  const turn = (enabled: boolean) =>
    database.asOwner('update notification_rules set enabled = $2 where rule_id = $1', [rule.ruleId, enabled]);
  await turn(false);
  await end(integrationId, 4, 'success');
  await turn(true);
}

test('what is green again before the cooldown has passed, or whose rule was switched off, is held back', async (t) => {
  const mended = await brokenAgain('/mended');
  await end(mended.integrationId, 4, 'success');
  const off = await brokenAgain('/off');
  const unasked = await brokenAgain('/unasked');
  await mendedUnasked(unasked);
  await start(t);
  for (const path of ['/mended', '/off', '/unasked'])
    await waitUntil('the first break and its end', () => typesTo(path).length === 2);
  await database.asOwner('update notification_rules set enabled = false where rule_id = $1', [
    off.rule.ruleId,
  ]);
  for (const { integrationId } of [mended, off, unasked]) {
    await passCooldown(integrationId);
    const rows = await settled(integrationId);
    assert.deepEqual(rows.map(({ status }) => status).sort(), ['held_back', 'sent', 'sent']);
  }
  for (const path of ['/mended', '/off', '/unasked']) assert.equal(typesTo(path).length, 2);
});
