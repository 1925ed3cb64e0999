import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostWaitingWebhooks } from '#contract/integrations/webhook-subscriptions.ts';
import { dayMs, hourMs, minuteMs } from '#platform/runtime/time-units.ts';
import type { ReceivedCall } from '#test/support/alerts/notification-receiver.ts';
import { setUpSender } from '#test/support/alerts/webhook-sender.ts';
import { webhookPolicy } from '../policy.ts';
import { deleteRows, readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const {
  database,
  receiver,
  newIntegration,
  subscribe,
  enable,
  disable,
  read,
  log,
  produce,
  entries,
  start,
  pass,
  replayFailed,
} = await setUpSender();

const memberOf = ({ body }: ReceivedCall): string =>
  (JSON.parse(body) as { data: { member: { userId: string } } }).data.member.userId;

test('a receiver that fails for long is disabled; after it is enabled a replay sends everything in order', async (t) => {
  const integrationId = await newIntegration();
  const { subscriptionId } = await subscribe(integrationId, receiver.url('/500'));
  const people = [await produce(integrationId), await produce(integrationId), await produce(integrationId)];
  await start(t, { disableAfterMs: 200 });
  const disabled = await waitUntil('the end of the subscription', async () => {
    const found = await read(integrationId, subscriptionId);
    return !found.enabled && found;
  });
  assert.deepEqual([disabled.disabledReason, disabled.waiting], ['failing', 0]);
  assert.ok(disabled.failingSince !== null);
  const types = (await entries(integrationId)).map(({ type }) => type.split('.')[1]);
  assert.deepEqual(types.slice(0, 1), ['created']);
  assert.equal(types.at(-1), 'disabled');
  assert.equal(
    (await log(integrationId, subscriptionId)).filter(({ status }) => status === 'failed').length,
    3,
  );
  assert.equal(
    await produce(integrationId)
      .then(() => log(integrationId, subscriptionId))
      .then((all) => all.length),
    3,
  );

  await assert.rejects(replayFailed(integrationId, subscriptionId), { code: 'conflict' });
  await enable(integrationId, subscriptionId, receiver.url('/later'));
  assert.deepEqual(await replayFailed(integrationId, subscriptionId), { replayed: 3, hasMore: false });
  await waitUntil('all three', () => receiver.callsTo('/later').length === 3);
  assert.deepEqual(receiver.callsTo('/later').map(memberOf), people);
});

test('the event log says once that a receiver fails, and that it works again', async (t) => {
  const integrationId = await newIntegration();
  const { subscriptionId } = await subscribe(integrationId, receiver.url('/private'));
  await produce(integrationId);
  await start(t);
  await waitUntil(
    'some attempts',
    async () => ((await log(integrationId, subscriptionId))[0]?.attempts ?? 0) >= 5,
  );
  const [, failing, ...more] = await entries(integrationId);
  assert.deepEqual([failing?.type, more.length], ['webhook_subscription.failing', 0]);
  assert.match(
    failing?.title ?? '',
    /“Chat bot” to hooks.example.com:\d+ fails: The receiver answered 307. Redirects are not followed/,
  );
});

test('receivers that hang, refuse, redirect or have a private address lose nothing, delay nobody else and are in the event log', async (t) => {
  const integrationId = await newIntegration();
  const host = `hooks.example.com:${receiver.port}`;
  const hidden = host.replace('hooks.', 'private.');
  const bad: [string, string][] = [
    [receiver.url('/hang'), `${host} fails: The URL did not answer in time.`],
    [receiver.url('/503'), `${host} fails: The receiver answered 503.`],
    [receiver.url('/redirect'), `${host} fails: The receiver answered 302. Redirects are not followed`],
    [
      receiver.url('/ok').replace('hooks.', 'private.'),
      `${hidden} fails: The URL resolves to a private address`,
    ],
  ];
  const failing: string[] = [];
  for (const [url] of bad) failing.push((await subscribe(integrationId, url)).subscriptionId);
  await subscribe(integrationId, receiver.url('/prompt'));
  const people = [await produce(integrationId), await produce(integrationId)];
  await start(t);
  await waitUntil('the good receiver', () => receiver.callsTo('/prompt').length === 2);
  assert.deepEqual(receiver.callsTo('/prompt').map(memberOf), people);
  const titles = await waitUntil('all entries', async () => {
    const found = (await entries(integrationId)).filter(({ type }) => type.endsWith('.failing'));
    return found.length === bad.length && found.map(({ title }) => title);
  });
  for (const [, text] of bad)
    assert.ok(
      titles.some((title) => title.includes(text)),
      `${text}: ${titles}`,
    );
  for (const id of failing) {
    const { enabled, waiting } = await read(integrationId, id);
    assert.deepEqual([enabled, waiting], [true, 2]);
  }
});

test('a receiver that answers 429 for a day gets everything in order afterwards, and another one each at once', async (t) => {
  const integrationId = await newIntegration();
  const busy = await subscribe(integrationId, receiver.url('/429'));
  const prompt = await subscribe(integrationId, receiver.url('/each'));
  await start(t, { backOffMs: webhookPolicy.backOffMs });
  const people: string[] = [];
  const attempts = (count: number) =>
    waitUntil('the attempt', async () => {
      const all = await log(integrationId, busy.subscriptionId);
      return (all.at(-1)?.attempts ?? 0) >= count;
    });
  for (let hour = 1; hour <= 24; hour += 1) {
    people.push(await produce(integrationId));
    await waitUntil('the other receiver', async () => {
      const all = await log(integrationId, prompt.subscriptionId);
      return all.length === hour && all.every(({ status }) => status === 'sent');
    });
    await attempts(hour);
    // Waits are up to a fifth longer than the back-off.
    await pass(integrationId, 1.25 * hourMs);
  }
  // One that is under way would end with 429 and wait for another hour.
  await attempts(25);
  assert.equal((await read(integrationId, busy.subscriptionId)).waiting, 24);
  receiver.setStatus('/429', 200);
  await pass(integrationId, 1.25 * hourMs);
  await waitUntil('all to be sent', async () =>
    (await log(integrationId, busy.subscriptionId)).every(({ status }) => status === 'sent'),
  );
  assert.deepEqual(receiver.callsTo('/each').map(memberOf), people);
  assert.deepEqual(receiver.callsTo('/429').slice(-24).map(memberOf), people);
  const types = (await entries(integrationId)).map(({ type }) => type.split('.')[1]);
  assert.deepEqual(types, ['created', 'created', 'failing', 'recovered']);
});

test('a receiver that asks for a day gets no other attempt before, and its webhook still waits', async (t) => {
  const integrationId = await newIntegration();
  const { subscriptionId } = await subscribe(integrationId, receiver.url('/busy'));
  await produce(integrationId);
  await start(t);
  const waiting = await waitUntil('the attempt', async () => {
    const [item] = await log(integrationId, subscriptionId);
    return item?.attempts === 1 && item;
  });
  assert.equal(waiting.status, 'waiting');
  assert.ok(waiting.durationMs !== null);
  const { lastProblem, nextAttemptAt } = await read(integrationId, subscriptionId);
  assert.deepEqual([lastProblem, nextAttemptAt], ['The receiver answered 429.', waiting.nextAttemptAt]);
  const waitMs = Date.parse(waiting.nextAttemptAt ?? '') - Date.now();
  assert.ok(Math.abs(waitMs - dayMs) < 5 * minuteMs, `${waitMs}`);
  assert.equal(receiver.callsTo('/busy').length, 1);
});

test('an event during an attempt that fails does not shorten the wait for the next one', async (t) => {
  const integrationId = await newIntegration();
  const { subscriptionId } = await subscribe(integrationId, receiver.url('/hang-longer'));
  await produce(integrationId);
  await start(t, { backOffMs: [minuteMs] });
  await waitUntil('the attempt', () => receiver.callsTo('/hang-longer').length === 1);
  await produce(integrationId);
  const waits = {
    integration_id: integrationId,
    leased_until: null,
    error: 'The URL did not answer in time.',
  };
  await waitUntil('the end of the turns', async () => {
    const [task] = await readRows<{ due_at: Date }>(database, 'tasks', waits);
    return task !== undefined && Number(task.due_at) > Date.now();
  });
  const items = await log(integrationId, subscriptionId);
  assert.deepEqual(
    items.map(({ status, attempts }) => [status, attempts]),
    [
      ['waiting', 0],
      ['waiting', 1],
    ],
  );
});

test('a change of a subscription tries its receiver at once, whatever it asked for', async (t) => {
  const integrationId = await newIntegration();
  const { subscriptionId } = await subscribe(integrationId, receiver.url('/busy'));
  const person = await produce(integrationId);
  await start(t);
  await waitUntil('the attempt', async () => (await log(integrationId, subscriptionId))[0]?.attempts === 1);
  await enable(integrationId, subscriptionId, receiver.url('/moved'));
  await waitUntil('the next attempt', () => receiver.callsTo('/moved').length === 1);
  assert.deepEqual(receiver.callsTo('/moved').map(memberOf), [person]);
});

test('an endless answer ends after its first kilobytes, and a private address is never called', async (t) => {
  const integrationId = await newIntegration();
  const endless = await subscribe(integrationId, receiver.url('/endless'));
  const hidden = await subscribe(integrationId, receiver.url('/ok').replace('hooks.', 'private.'));
  await produce(integrationId);
  await start(t);
  const problemOf = (subscriptionId: string): Promise<string> =>
    waitUntil('a problem', async () => (await log(integrationId, subscriptionId))[0]?.problem ?? undefined);
  assert.equal(await problemOf(endless.subscriptionId), 'The receiver answered 500.');
  assert.match(await problemOf(hidden.subscriptionId), /private address/);
  assert.deepEqual(receiver.callsTo('/ok'), []);
});

test('a receiver that answers 410 gets nothing more, and a refused webhook does not stop the next', async (t) => {
  const integrationId = await newIntegration();
  const gone = await subscribe(integrationId, receiver.url('/410'));
  const refusing = await subscribe(integrationId, receiver.url('/422'));
  await produce(integrationId);
  await produce(integrationId);
  await start(t);
  await waitUntil('both refusals', async () => {
    const items = await log(integrationId, refusing.subscriptionId);
    return items.every(({ status, attempts }) => status === 'failed' && attempts === 3);
  });
  const { enabled, disabledReason } = await read(integrationId, gone.subscriptionId);
  assert.deepEqual([enabled, disabledReason], [false, 'gone']);
  assert.equal(receiver.callsTo('/410').length, 1);
});

test('a subscription with too many waiting webhooks is disabled at once, and a replay sends all of them', async (t) => {
  const integrationId = await newIntegration();
  const { subscriptionId } = await subscribe(integrationId, receiver.url('/507'));
  await database.asOwner(
    `insert into outgoing_webhooks (integration_id, receiver_id, receiver_kind, event_type, status)
     select $1, $2, 'subscription', 'filler', 'waiting' from generate_series(2, $3)`,
    [integrationId, subscriptionId, mostWaitingWebhooks],
  );
  const people = [await produce(integrationId), await produce(integrationId)];
  const produced = (await log(integrationId, subscriptionId)).filter(
    ({ type }) => type !== ('filler' as never),
  );
  assert.deepEqual(
    produced.map(({ status, problem }) => [status, problem]),
    [
      ['failed', 'Not sent: 10,000 webhooks were waiting already.'],
      ['waiting', null],
    ],
  );
  await deleteRows(database, 'outgoing_webhooks', { event_type: 'filler' });
  await start(t);
  const { disabledReason, failed } = await waitUntil('the end of the subscription', async () => {
    const found = await read(integrationId, subscriptionId);
    return !found.enabled && found;
  });
  assert.deepEqual([disabledReason, failed], ['full', 2]);
  assert.deepEqual(receiver.callsTo('/507'), [], 'before any attempt');
  await enable(integrationId, subscriptionId, receiver.url('/roomy'));
  assert.equal((await replayFailed(integrationId, subscriptionId)).replayed, 2);
  await waitUntil('both', () => receiver.callsTo('/roomy').length === 2);
  assert.deepEqual(receiver.callsTo('/roomy').map(memberOf), people);
});

test('a webhook whose subscription a person disables during the attempt is failed and can be replayed', async (t) => {
  const integrationId = await newIntegration();
  const { subscriptionId } = await subscribe(integrationId, receiver.url('/hang-on'));
  await produce(integrationId);
  await start(t);
  await waitUntil('the attempt', () => receiver.callsTo('/hang-on').length === 1);
  await disable(integrationId, subscriptionId);
  await waitUntil('its end', async () => (await log(integrationId, subscriptionId))[0]?.attempts === 1);
  assert.equal((await log(integrationId, subscriptionId))[0]?.status, 'failed');
  await enable(integrationId, subscriptionId, receiver.url('/after'));
  assert.equal((await replayFailed(integrationId, subscriptionId)).replayed, 1);
  await waitUntil('the replay', () => receiver.callsTo('/after').length === 1);
});
