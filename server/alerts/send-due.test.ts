import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import pino from 'pino';
import type { ChannelInput, NotificationRule, RuleBody } from '#contract/alerts.ts';
import { makeSealer } from '#platform/runtime/sealing.ts';
import { makeSendMail } from '#server/mail/send-mail.ts';
import { startAlertReceiver } from '#test/support/alert-receiver.ts';
import { ruleBody } from '#test/support/rule-body.ts';
import { createTestDatabase, testMasterKey } from '#test/support/test-database.ts';
import { waitUntil } from '#test/support/wait-until.ts';
import { evaluateOutcomes } from './evaluate-outcomes.ts';
import { insertCandidates } from './outcome-store.ts';
import { alertPolicy, type AlertPolicy } from './policy.ts';
import { createRule } from './save-rule.ts';
import { makeAlertSender } from './send-due.ts';

const database = await createTestDatabase();
const receiver = await startAlertReceiver(600);
const sealer = makeSealer([testMasterKey]);
const quick: AlertPolicy = { ...alertPolicy, gatherMs: 0, sendEveryMs: 10 };

const logged: string[] = [];
const log = pino({}, { write: (line) => void logged.push(line) });
const noMail = makeSendMail({ smtpUrl: undefined, mailFrom: 'fw@example.com' }, log);

async function start(t: TestContext, policy: Partial<AlertPolicy> = {}, sendMail = noMail) {
  const sender = makeAlertSender({
    db: database.worker,
    log,
    clock: Date.now,
    policy: { ...quick, ...policy },
    sealer,
    guardedFetch: receiver.guardedFetch,
    sendMail,
    count: () => {},
  });
  t.after(() => sender.stop());
  await sender.start();
  return sender;
}

/** An integration with one rule on these channels. */
async function integrationWith(
  ...channels: ChannelInput[]
): Promise<{ integrationId: string; rule: NotificationRule }> {
  return integrationFor({ channels });
}

async function integrationFor(
  fields: Partial<RuleBody>,
  integrationId: string = randomUUID(),
): Promise<{ integrationId: string; rule: NotificationRule }> {
  await database.asOwner(
    `insert into integrations (integration_id, label, webhook_secret) values ($1, 'Test', '')`,
    [integrationId],
  );
  const deps = { db: database.api, sealer, refusal: receiver.guardedFetch.refusal };
  const rule = await createRule(deps, { integrationId, actorId: randomUUID() }, ruleBody(fields));
  return { integrationId, rule };
}

async function end(integrationId: string, runId: number, conclusion: string): Promise<void> {
  await database.asOwner(
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, conclusion, completed_at,
       on_default_branch, workflow_name, head_branch, created_at, pull_requests)
     values ($1, $2, 1, '', 'acme/site', 'completed', $3, now(), true, 'CI', 'main', now(), '{}')`,
    [integrationId, runId, conclusion],
  );
  await database.worker.withScope({ integrationId }, async (tx) => {
    await insertCandidates(tx, [
      { integrationId, runId, attempt: 1, jobId: null, isGreen: conclusion === 'success' },
    ]);
    assert.equal(await evaluateOutcomes(tx, integrationId, quick, Date.now(), 10), 1);
  });
}

const notifications = (integrationId: string) =>
  database.asOwner<Record<string, unknown>>(
    'select kind, status, status_code, problem from notifications where integration_id = $1 order by created_at',
    [integrationId],
  );
const settled = (integrationId: string) =>
  waitUntil('all settled', async () => {
    const rows = await notifications(integrationId);
    return rows.length > 0 && rows.every(({ status }) => status !== 'waiting') && rows;
  });
const webhook = (path: string): ChannelInput => ({ type: 'webhook', url: receiver.url(path) });

test('the message arrives signed, and is sent once by several processes', async (t) => {
  const { integrationId, rule } = await integrationWith(webhook('/signed'));
  await end(integrationId, 1, 'failure');
  await Promise.all([start(t), start(t), start(t)]);
  const [row] = await settled(integrationId);
  assert.deepEqual([row!['status'], row!['status_code']], ['sent', 200]);
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

test('a receiver that hangs holds up no other, and is given up', async (t) => {
  const slow = await integrationWith(webhook('/hang-1'), webhook('/hang-2'), webhook('/hang-3'));
  const quickOne = await integrationWith(webhook('/beside'));
  await end(slow.integrationId, 1, 'failure');
  await end(quickOne.integrationId, 1, 'failure');
  await start(t);
  await waitUntil('the hanging calls', () => receiver.callsTo('/hang-1').length === 1);
  await settled(quickOne.integrationId);
  assert.deepEqual(
    (await notifications(slow.integrationId)).map(({ status }) => status),
    ['waiting', 'waiting', 'waiting'],
  );
  const rows = await settled(slow.integrationId);
  assert.deepEqual(
    rows.map(({ status, problem }) => [status, problem]),
    rows.map(() => ['failed', 'The URL did not answer in time.']),
  );
  assert.equal(receiver.callsTo('/hang-1').length, 1);
});

test('receivers that hang and have much to come leave places for others', async (t) => {
  // In the order of their ids the slow ones come first.
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
  t.after(() => database.asOwner('delete from alert_outbox'));
  await start(t, { sendAtOnce: 2, sendAtOncePerIntegration: 1 });
  for (const { integrationId } of others) await settled(integrationId);
  for (const { integrationId } of slow)
    assert.ok((await notifications(integrationId)).some(({ status }) => status === 'waiting'));
});

test('500, a refusal, a redirect and a private address are told of, and none is tried again', async (t) => {
  const port = new URL(receiver.url('/')).port;
  const cases: [ChannelInput, number | null, RegExp, number][] = [
    [webhook('/500'), 500, /answered 500/, 1],
    [webhook('/400'), 400, /answered 400/, 1],
    [webhook('/redirect'), 302, /Redirects are not followed/, 1],
    [{ type: 'slack', url: `https://private.example.com:${port}/private` }, null, /not public/, 0],
    [{ type: 'email', to: ['ann@example.com'] }, null, /No mail server is set/, 0],
  ];
  await start(t);
  for (const [channel, statusCode, problem, calls] of cases) {
    const { integrationId } = await integrationWith(channel);
    await end(integrationId, 1, 'failure');
    const [row] = await settled(integrationId);
    assert.deepEqual([row!['status'], row!['status_code']], ['failed', statusCode], JSON.stringify(row));
    assert.match(String(row!['problem']), problem);
    if (channel.url !== undefined)
      assert.equal(receiver.callsTo(new URL(channel.url).pathname).length, calls, channel.url);
    const entries = await database.asOwner<{ type: string }>(
      `select type from event_log where integration_id = $1 and type like 'alert.%'`,
      [integrationId],
    );
    assert.deepEqual(entries, [{ type: 'alert.failed' }]);
  }
  assert.equal(receiver.callsTo('/ok').length, 0);
});

test('why a message could not be sent stands in the log', async (t) => {
  const { integrationId } = await integrationWith(webhook('/unsealed'));
  await database.asOwner(`update notification_channels set sealed_url = 'other' where integration_id = $1`, [
    integrationId,
  ]);
  await end(integrationId, 1, 'failure');
  await start(t);
  const [row] = await settled(integrationId);
  assert.deepEqual([row!['status'], row!['problem']], ['failed', 'The message could not be sent.']);
  const line = logged.find((each) => each.includes(integrationId) && each.includes('an alert was not taken'));
  assert.match(line ?? '', /sealed value is too short/);
});

test('the recovery never comes before the failure it ends', async (t) => {
  const { integrationId } = await integrationWith(webhook('/order'));
  await end(integrationId, 1, 'failure');
  await end(integrationId, 2, 'success');
  await database.asOwner(
    `update alert_outbox o set due_at = now() + interval '1 s' from notifications n
     where n.notification_id = o.notification_id and n.kind = 'opened' and n.integration_id = $1`,
    [integrationId],
  );
  await start(t);
  await settled(integrationId);
  assert.deepEqual(
    receiver.callsTo('/order').map(({ body }) => JSON.parse(body).type),
    ['incident.opened', 'incident.closed'],
  );
});

test('what a stopped process had under way is sent by the next', async (t) => {
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

test('a mail server that takes longer than the lease gets the mail once', async (t) => {
  const { integrationId } = await integrationWith({ type: 'email', to: ['ann@example.com'] });
  await end(integrationId, 1, 'failure');
  const taken = Promise.withResolvers<void>();
  t.after(() => taken.resolve());
  let mails = 0;
  await start(t, { sendLeaseMs: 50 }, async () => {
    mails += 1;
    await taken.promise;
  });
  const leases = new Set<number>();
  await waitUntil('the lease to be kept, or taken over', async () => {
    const rows = await database.asOwner<{ due_at: Date }>(
      'select due_at from alert_outbox where group_id = $1',
      [integrationId],
    );
    leases.add(rows[0]!.due_at.getTime());
    return leases.size > 2;
  });
  taken.resolve();
  const rows = await settled(integrationId);
  assert.deepEqual([rows.map(({ status }) => status), mails], [['sent'], 1]);
});

test('a rule deleted meanwhile says nothing', async (t) => {
  const { integrationId, rule } = await integrationWith(webhook('/deleted'));
  await end(integrationId, 1, 'failure');
  await database.asOwner('delete from notification_rules where rule_id = $1', [rule.ruleId]);
  await start(t);
  await waitUntil(
    'an empty outbox',
    async () =>
      (await database.asOwner('select from alert_outbox where group_id = $1', [integrationId])).length === 0,
  );
  assert.equal(receiver.callsTo('/deleted').length, 0);
});

/** Breaks, is mended, and breaks again within the cooldown. */
async function brokenAgain(path: string) {
  const made = await integrationFor({ channels: [webhook(path)], cooldownMinutes: 10 });
  for (const [index, conclusion] of ['failure', 'success', 'failure'].entries())
    await end(made.integrationId, index + 1, conclusion);
  return made;
}

const typesTo = (path: string): string[] => receiver.callsTo(path).map(({ body }) => JSON.parse(body).type);

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
