import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { bodyOf, idOf } from '#test/support/alerts/notification-receiver.ts';
import {
  detailOf,
  sendTest,
  verify,
  webhooksOf,
  startWebhookProduct,
} from '#test/support/alerts/webhook-product.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { refused, type Team } from '#test/support/team/team.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { product, receiver, urlOf, newPath, subscribe } = await startWebhookProduct();

let runs = 100;
async function completeRun(team: Team, more: Record<string, unknown> = {}): Promise<number> {
  const now = new Date().toISOString();
  const id = (runs += 1);
  const payload = runPayload({
    id,
    name: 'CI',
    status: 'completed',
    conclusion: 'success',
    created_at: now,
    run_started_at: now,
    updated_at: now,
    ...more,
  });
  const { status } = await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  assert.equal(status, 200);
  return id;
}

test('a completed run is sent once for each attempt, signed, and its log shows body and attempts', async () => {
  const team = await product.newTeam();
  const { id, secret, received } = await subscribe(team, ['run.completed']);
  await sendTest(team, id);
  const runId = await completeRun(team);
  await completeRun(team, { id: runId });
  await completeRun(team, { id: runId, run_attempt: 2, conclusion: 'failure' });
  await waitUntil('both attempts', () => received().length === 2);
  for (const call of received()) verify(call, secret);
  const sent = received().map((call) => bodyOf(call).data['run'] as Record<string, unknown>);
  assert.deepEqual(
    sent.map((run) => [run['runId'], run['attempt'], run['conclusion']]),
    [
      [runId, 1, 'success'],
      [runId, 2, 'failure'],
    ],
  );
  const items = await waitUntil('the log', async () => {
    const found = await webhooksOf(team, id, '?status=sent');
    return found.length === 3 && found;
  });
  assert.deepEqual(
    items.map(({ type, attempts, statusCode }) => [type, attempts, statusCode]),
    [
      ['run.completed', 1, 200],
      ['run.completed', 1, 200],
      ['test', 1, 200],
    ],
  );
  assert.deepEqual(
    (await webhooksOf(team, id, '?status=sent&type=test')).map(({ type }) => type),
    ['test'],
  );
  assert.deepEqual(await webhooksOf(team, id, '?status=failed&type=test'), []);
  const unknown = team.path(`/webhook-receivers/${id}/webhooks?type=deployment`);
  refused(await team.viewer.call('GET', unknown), 400, 'invalid_request');
  const { body: detail } = await detailOf(team, String(items[0]!['webhookId']));
  assert.equal(detail['body'], received()[1]!.body);
  assert.equal((detail['attempts'] as object[]).length, 1);
  refused(
    await team.viewer.call('GET', team.path(`/outgoing-webhooks/${String(items[0]!['webhookId'])}`)),
    403,
    'insufficient_role',
  );
});

test('a replay sends the same id and body again, and the event log names who asked for it', async () => {
  const team = await product.newTeam();
  const { id, secret, received } = await subscribe(team, ['run.completed']);
  await completeRun(team);
  const [item] = await waitUntil('the run', async () => {
    const found = await webhooksOf(team, id, '?status=sent&limit=1');
    return found[0]?.['type'] === 'run.completed' && found;
  });
  const path = team.path(`/outgoing-webhooks/${String(item!['webhookId'])}/replay`);
  refused(await team.viewer.call('POST', path), 403, 'insufficient_role');
  const { status, body } = await team.member.call('POST', path);
  assert.deepEqual([status, body['status']], [202, 'waiting']);
  await waitUntil('the replay', () => received().length === 2);
  const [first, second] = received();
  assert.deepEqual([idOf(second!), second!.body], [idOf(first!), first!.body]);
  verify(second!, secret);
  const entries = await product.entries(team.integrationId);
  const entry = entries.find(({ type }) => type === 'outgoing_webhook.replayed');
  assert.equal(entry?.actorId, team.member.userId);
});

test('a receiver for which too many webhooks wait gets no replays', async () => {
  const team = await product.newTeam();
  const { id } = await subscribe(team, ['run.completed']);
  await product.database.asOwner(
    `insert into outgoing_webhooks (integration_id, receiver_id, receiver_kind, event_type, status)
     select $1, $2, 'subscription', 'test', 'waiting' from generate_series(1, 10000)`,
    [team.integrationId, id],
  );
  const since = new Date(0).toISOString();
  const replay = team.path(`/webhook-receivers/${id}/replay-failed`);
  refused(await team.member.call('POST', replay, { since }), 409, 'conflict');
  refused(await team.owner.call('POST', team.path(`/webhook-subscriptions/${id}/test`)), 409, 'conflict');
  await deleteRows(product.database, 'outgoing_webhooks', { receiver_id: id });
});

test('members and new failure groups are sent to those who subscribe to them', async () => {
  const team = await product.newTeam();
  const all = await subscribe(team, [
    'failure_group.opened',
    'member.added',
    'member.removed',
    'member.role_changed',
  ]);
  const runsOnly = await subscribe(team, ['run.completed']);
  await team.owner.call('PATCH', team.path(`/members/${team.viewer.userId}`), { role: 'member' });
  await team.owner.call('DELETE', team.path(`/members/${team.member.userId}`));
  const failed = failedJob({ id: (runs += 1) }).job;
  await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload: failed });
  await waitUntil('three events', () => all.received().length === 3);
  for (const call of all.received()) verify(call, all.secret);
  const facts = new Map(all.received().map((call) => [bodyOf(call).type, bodyOf(call).data]));
  const { userId, role, previousRole } = facts.get('member.role_changed')!['member'] as Record<
    string,
    unknown
  >;
  assert.deepEqual([userId, role, previousRole], [team.viewer.userId, 'member', 'viewer']);
  assert.equal((facts.get('member.removed')!['member'] as Record<string, unknown>)['role'], 'member');
  assert.equal(
    (facts.get('failure_group.opened')!['failureGroup'] as Record<string, unknown>)['repository'],
    'acme/site',
  );
  assert.deepEqual(runsOnly.received(), []);
});

test('a receiver that hangs delays no other, and each receiver gets its webhooks in order', async () => {
  const team = await product.newTeam();
  const prompt = await subscribe(team, ['run.completed']);
  const hanging = await subscribe(team, ['run.completed'], '/hang-forever');
  const expected: number[] = [];
  for (let count = 0; count < 30; count += 1) expected.push(await completeRun(team));
  await waitUntil('all runs', () => prompt.received().length === 30);
  const got = prompt.received().map((call) => (bodyOf(call).data['run'] as { runId: number }).runId);
  assert.deepEqual(got, expected);
  const waiting = await webhooksOf(team, hanging.id, '?status=waiting');
  assert.equal(waiting.length, 30);
});

test('a replaced signing secret signs for the grace period, and at once only when that is asked for', async () => {
  const team = await product.newTeam();
  const { id, path, secret, received } = await subscribe(team, ['run.completed']);
  const rotated = await team.admin.call('POST', `${path}/secret`, {});
  const newer = String(rotated.body['signingSecret']);
  assert.notEqual(newer, secret);
  await completeRun(team);
  await waitUntil('the run', () => received().length === 1);
  verify(received()[0]!, secret);
  verify(received()[0]!, newer);
  const revoked = await team.admin.call('POST', `${path}/secret`, { graceHours: 0 });
  assert.equal(revoked.body['previousSecretUntil'], null);
  await completeRun(team);
  await waitUntil('the other run', () => received().length === 2);
  verify(received()[1]!, String(revoked.body['signingSecret']));
  assert.throws(() => verify(received()[1]!, newer));
  const { body } = await team.viewer.call('GET', team.path('/webhook-subscriptions'));
  assert.equal(body.items.find((each) => each['subscriptionId'] === id)?.['signingSecret'], null);
});

test('a webhook channel of a rule has a delivery log, and its notifications can be replayed', async () => {
  const team = await product.newTeam();
  const at = newPath();
  const rule = ruleBody({ channels: [{ type: 'webhook', url: urlOf(at) }] });
  const { body } = await team.member.call('POST', team.path('/notification-rules'), rule);
  const [channel] = body['channels'] as { channelId: string; signingSecret: string }[];
  await completeRun(team, { conclusion: 'failure' });
  const [item] = await waitUntil('the notification in the log', async () => {
    const found = await webhooksOf(team, channel!.channelId);
    return found.length > 0 && found;
  });
  assert.deepEqual([item!['type'], item!['status'], item!['attempts']], ['incident.opened', 'sent', 1]);
  const { body: detail } = await detailOf(team, String(item!['webhookId']));
  assert.equal(detail['body'], receiver.callsTo(at)[0]!.body);
  await team.member.call('POST', team.path(`/outgoing-webhooks/${String(item!['webhookId'])}/replay`));
  await waitUntil('the replay', () => receiver.callsTo(at).length === 2);
  const [first, second] = receiver.callsTo(at);
  assert.deepEqual([idOf(second!), second!.body], [idOf(first!), first!.body]);
  new Webhook(channel!.signingSecret).verify(second!.body, second!.headers as Record<string, string>);
});

test('admins manage subscriptions, within the limit, and only of URLs that may be called', async () => {
  const team = await product.newTeam();
  const path = team.path('/webhook-subscriptions');
  const body = { name: 'Chat bot', url: urlOf('/ok'), eventTypes: ['run.completed'] };
  refused(await team.member.call('POST', path, body), 403, 'insufficient_role');
  for (const url of ['https://10.0.0.1/', 'http://example.com/', 'https://example.com:22/', 'no url'])
    refused(await team.admin.call('POST', path, { ...body, url }), 400, 'invalid_request');
  refused(
    await team.admin.call('POST', path, { ...body, eventTypes: ['run.started'] }),
    400,
    'invalid_request',
  );
  for (let count = 0; count < 10; count += 1)
    assert.equal((await team.admin.call('POST', path, body)).status, 201);
  refused(await team.admin.call('POST', path, body), 409, 'conflict');
  const { body: list } = await team.viewer.call('GET', path);
  const one = `${path}/${String(list.items[0]!['subscriptionId'])}`;
  const change = { name: 'Renamed', eventTypes: ['member.added'], enabled: false };
  const changed = await team.admin.call('PUT', one, change);
  assert.deepEqual([changed.body['name'], changed.body['enabled']], ['Renamed', false]);
  refused(await team.admin.call('POST', `${one}/test`), 409, 'conflict');
  assert.equal((await team.admin.call('DELETE', one)).status, 204);
  refused(await team.admin.call('PUT', one, change), 404, 'not_found');
});
