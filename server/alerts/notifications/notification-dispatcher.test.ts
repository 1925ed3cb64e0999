import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { ChannelInput } from '#contract/alerts/alerts.ts';
import { setUpDispatcher } from '#test/support/alerts/notification-dispatcher.ts';
import { deleteRows, readRows, updateRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { readRules } from '#server/alerts/rules/read-rules.ts';
import { removeRule } from '#server/alerts/rules/save-rule.ts';
import { logEntries } from '#test/support/data/log-entries.ts';

const {
  database,
  receiver,
  logged,
  start,
  integrationFor,
  integrationWith,
  end,
  notifications,
  reschedule,
  dueTimes,
  pendingNotifications,
  settled,
  webhook,
  typesTo,
} = await setUpDispatcher();

test('several processes send a signed notification once', async (t) => {
  const { integrationId, rule } = await integrationWith(webhook('/signed'));
  await end(integrationId, 1, 'failure');
  await Promise.all([start(t), start(t), start(t)]);
  const [row] = await settled(integrationId);
  assert.deepEqual([row?.status, row?.statusCode], ['sent', 200]);
  const [call, ...more] = receiver.callsTo('/signed');
  assert.equal(more.length, 0);
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = call!.headers;
  const key = Buffer.from(rule.channels[0]!.signingSecret!.slice('whsec_'.length), 'base64');
  assert.equal(
    signature,
    `v1,${createHmac('sha256', key)
      .update(`${String(id)}.${String(at)}.${call!.body}`)
      .digest('base64')}`,
  );
  const { type, data } = JSON.parse(call!.body);
  assert.deepEqual(
    [type, data.incident.repository, data.incident.failedRuns],
    ['incident.opened', 'acme/site', 1],
  );
});

test('a notification fails at once when too many wait', async () => {
  const { integrationId } = await integrationWith(webhook('/full'));
  await database.asOwner(
    `insert into tasks (integration_id, kind, key) select $1, 'notifications', n from generate_series(1, 2000) n`,
    [integrationId],
  );
  await end(integrationId, 1, 'failure');
  const [{ status, problem } = {}] = await notifications(integrationId);
  assert.deepEqual([status, problem], ['failed', 'Not sent: 2,000 notifications were waiting already.']);
  await deleteRows(database, 'tasks', { integration_id: integrationId });
});

test('a notification waits for the other jobs of its matrix', async () => {
  const { integrationId } = await integrationWith(webhook('/gathers'));
  await end(integrationId, 1, 'failure', { ...alertPolicy, gatherMs: 60_000 });
  const [due = 0, ...more] = await dueTimes(integrationId);
  assert.ok(due > Date.now() + 50_000 && more.length === 0, `${due}`);
});

test('a receiver that hangs delays no other and times out', async (t) => {
  const slow = await integrationWith(webhook('/hang-1'), webhook('/hang-2'), webhook('/hang-3'));
  const quickOne = await integrationWith(webhook('/beside'));
  await end(slow.integrationId, 1, 'failure');
  await end(quickOne.integrationId, 1, 'failure');
  await start(t);
  await waitUntil('the hanging calls', () => receiver.callsTo('/hang-1').length === 1);
  await settled(quickOne.integrationId);
  assert.ok((await notifications(slow.integrationId)).some(({ status }) => status === 'waiting'));
  await end(quickOne.integrationId, 2, 'success');
  await settled(quickOne.integrationId);
  const calls = [1, 2, 3].flatMap((nth) => receiver.callsTo(`/hang-${nth}`)).length;
  const given = (await notifications(slow.integrationId)).filter(({ status }) => status === 'failed').length;
  assert.ok(calls - given <= alertPolicy.perIntegration, `${calls} calls, ${given} given up`);
  const rows = await settled(slow.integrationId);
  assert.deepEqual(
    rows.map(({ status, problem }) => [status, problem]),
    rows.map(() => ['failed', 'The URL did not answer in time.']),
  );
  assert.equal(receiver.callsTo('/hang-1').length, 1);
});

test('slow receivers with many notifications leave places for others', async (t) => {
  // The slow ones have the lowest ids.
  const made = await Promise.all(
    ['/hang-a', '/hang-b', '/c', '/d', '/e', '/f'].map((path, index) =>
      integrationFor(
        { channels: Array.from({ length: path.startsWith('/hang') ? 10 : 1 }, () => webhook(path)) },
        `00000000-0000-4000-8000-00000000000${index}`,
      ),
    ),
  );
  const [slow, others] = [made.slice(0, 2), made.slice(2)];
  for (const { integrationId } of made) await end(integrationId, 1, 'failure');
  t.after(() => deleteRows(database, 'tasks'));
  await start(t, { quickPlaces: 2, slowPlaces: 2, perIntegration: 1 });
  for (const { integrationId } of others) await settled(integrationId);
  for (const { integrationId } of slow)
    assert.ok((await notifications(integrationId)).some(({ status }) => status === 'waiting'));
});

test('a refused notification is logged as failed and not retried', async (t) => {
  const port = new URL(receiver.url('/')).port;
  const cases: [ChannelInput, number | null, RegExp, number][] = [
    [webhook('/500'), 500, /answered 500/, 1],
    [webhook('/400'), 400, /answered 400/, 1],
    [webhook('/redirect'), 302, /Redirects are not followed/, 1],
    [
      { type: 'slack', url: `https://private.example.com:${port}/private` },
      null,
      /resolves to a private address/,
      0,
    ],
    [{ type: 'email', to: ['ann@example.com'] }, null, /No mail server is configured/, 0],
  ];
  await start(t);
  for (const [channel, statusCode, problem, calls] of cases) {
    const { integrationId } = await integrationWith(channel);
    await end(integrationId, 1, 'failure');
    const [row] = await settled(integrationId);
    assert.deepEqual([row?.status, row?.statusCode], ['failed', statusCode], JSON.stringify(row));
    assert.match(String(row?.problem), problem);
    if (channel.url !== undefined)
      assert.equal(receiver.callsTo(new URL(channel.url).pathname).length, calls, channel.url);
    const entries = await logEntries(database, integrationId, 'alert');
    assert.deepEqual(
      entries.map(({ type }) => type),
      ['alert.failed'],
    );
    const failing = () =>
      database.api.withScope(
        { integrationId },
        async (tx) => (await readRules(tx, integrationId))[0]?.failing,
      );
    assert.deepEqual((await failing())?.channels, 1);
    assert.match((await failing())?.problem ?? '', problem);
    await updateRows(database, 'notifications', { status: 'sent' }, { integration_id: integrationId });
    assert.equal(await failing(), null, 'it was accepted later');
  }
  assert.equal(receiver.callsTo('/ok').length, 0);
});

test('the log contains the cause of a failed notification', async (t) => {
  const { integrationId } = await integrationWith(webhook('/unsealed'));
  const channels = { integration_id: integrationId };
  await updateRows(database, 'notification_channels', { sealed_url: Buffer.from('other') }, channels);
  await end(integrationId, 1, 'failure');
  await start(t);
  const [row] = await settled(integrationId);
  assert.deepEqual([row?.status, row?.problem], ['failed', 'The message could not be sent.']);
  const line = logged.find(
    (each) => each.includes(integrationId) && each.includes('notification delivery failed'),
  );
  assert.match(line ?? '', /sealed value is too short/);
});

test('an encrypted URL opens only in its own channel', async (t) => {
  const [first, second] = [
    await integrationWith(webhook('/first')),
    await integrationWith(webhook('/second')),
  ];
  const channelsOf = (of: typeof first) => ({ integration_id: of.integrationId });
  const [row] = await readRows<{ sealed_url: Buffer }>(database, 'notification_channels', channelsOf(first));
  const { sealed_url } = row!;
  await updateRows(database, 'notification_channels', { sealed_url }, channelsOf(second));
  await end(second.integrationId, 1, 'failure');
  await start(t);
  const [sent] = await settled(second.integrationId);
  assert.deepEqual([sent?.status, receiver.callsTo('/first').length], ['failed', 0]);
});

test('a recovery is never sent before its failure', async (t) => {
  const { integrationId } = await integrationWith(webhook('/order'));
  await end(integrationId, 1, 'failure');
  await end(integrationId, 2, 'success');
  const opened = (await notifications(integrationId)).find(({ kind }) => kind === 'opened');
  await reschedule({ notification_id: opened!.notificationId }, 1_000);
  await start(t);
  await settled(integrationId);
  assert.deepEqual(typesTo('/order'), ['incident.opened', 'incident.closed']);
});

test('a process sends the unfinished notifications of a stopped one', async (t) => {
  const { integrationId } = await integrationWith(webhook('/hang-stop'));
  await end(integrationId, 1, 'failure');
  const first = await start(t);
  await waitUntil('the call', () => receiver.callsTo('/hang-stop').length === 1);
  await first.stop();
  assert.deepEqual(
    (await notifications(integrationId)).map(({ status }) => status),
    ['waiting'],
  );
  await start(t);
  await settled(integrationId);
  assert.equal(receiver.callsTo('/hang-stop').length, 2);
});

test('a deleted rule sends no pending notification', async (t) => {
  const { integrationId, rule } = await integrationWith(webhook('/deleted'));
  await end(integrationId, 1, 'failure');
  await removeRule(database.api, { integrationId, actorId: randomUUID() }, rule.ruleId);
  await start(t);
  await waitUntil('an empty outbox', async () => (await pendingNotifications(integrationId)) === 0);
  assert.equal(receiver.callsTo('/deleted').length, 0);
});

test('a notification that waits when a quarantine closes its incident is not sent', async (t) => {
  const { integrationId } = await integrationWith(webhook('/quarantined'));
  await end(integrationId, 1, 'failure');
  const [closed_at, close_note] = [new Date(), '2099-01-01T00:00:00.000Z'];
  const closed = { closed_at, close_reason: 'recovered', close_note };
  await updateRows(database, 'incidents', closed, { integration_id: integrationId });
  await start(t);
  await waitUntil('an empty outbox', async () => (await pendingNotifications(integrationId)) === 0);
  assert.equal(receiver.callsTo('/quarantined').length, 0);
});
