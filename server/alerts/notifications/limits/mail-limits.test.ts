import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import pino from 'pino';
import { makeSendMail } from '#server/mail/send-mail.ts';
import { setUpDispatcher } from '#test/support/alerts/notification-dispatcher.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { addPerson, addToTeam } from '#test/support/team/people.ts';
import { ageRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { logEntries } from '#test/support/data/log-entries.ts';

const { database, receiver, logged, start, integrationFor, end, settled, webhook } = await setUpDispatcher();
const mailServer = await startMailServer();
const viaSmtp = makeSendMail(
  { smtpUrl: mailServer.url, mailFrom: 'fw@example.com' },
  pino({ enabled: false }),
);

const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to.includes(address));
const email = (...to: string[]) => ({ type: 'email' as const, to });
const each = { notify: 'every_failure' as const };
const startThree = (t: TestContext, policy: Partial<AlertPolicy>) =>
  Promise.all([1, 2, 3].map(() => start(t, policy, viaSmtp)));
const nextMails = /Next mails after \d{4}-\d\d-\d\d \d\d:\d\d UTC\./;

test('several processes share the daily mail limit of an integration', async (t) => {
  const channels = [email('victim@example.com'), webhook('/beside')];
  const { integrationId } = await integrationFor({ ...each, channels });
  for (let run = 1; run <= 6; run++) await end(integrationId, run, 'failure');
  await startThree(t, { maxMailsPerDay: 4 });
  const rows = await settled(integrationId);
  assert.equal(mailsTo('victim@example.com').length, 4);
  assert.equal(receiver.callsTo('/beside').length, 6);
  const refused = rows.filter(({ status }) => status === 'failed').map(({ problem }) => String(problem));
  assert.equal(refused.length, 2);
  for (const problem of refused) {
    assert.match(problem, /^Mail limit reached: 4 a day for an integration; each address counts\. /);
    assert.match(problem, nextMails);
  }
  const entries = await logEntries(database, integrationId, 'alert.failed');
  assert.equal(entries.filter(({ title }) => title.includes('Mail limit reached')).length, 2);

  await ageRows(database, 'mail_counts.began_at', '25 hours');
  await end(integrationId, 7, 'failure');
  await settled(integrationId);
  assert.equal(mailsTo('victim@example.com').length, 5);
});

test('each address of a mail counts', async (t) => {
  const { integrationId } = await integrationFor({ channels: [email('a@example.org', 'b@example.org')] });
  await end(integrationId, 1, 'failure');
  await start(t, { maxMailsPerDay: 1 }, viaSmtp);
  const [row] = await settled(integrationId);
  assert.match(String(row?.problem), /Mail limit reached: 1 a day/);
  assert.equal(mailsTo('a@example.org').length, 0);
});

test('the limit of an address counts the mails of all integrations', async (t) => {
  const made = await Promise.all(
    [
      ['full@example.net', 'free-1@example.net'],
      ['free-2@example.net', 'FULL+tag@example.net'],
    ].map((to) => integrationFor({ ...each, channels: [email(...to)] })),
  );
  for (let run = 1; run <= 5; run++)
    for (const { integrationId } of made) await end(integrationId, run, 'failure');
  await startThree(t, { maxMailsToAddressPerDay: 5 });
  const rows = (await Promise.all(made.map(({ integrationId }) => settled(integrationId)))).flat();
  const refused = rows.filter(({ status }) => status === 'failed').map(({ problem }) => String(problem));
  assert.equal(mailsTo('full@example.net').length + mailsTo('FULL+tag@example.net').length, 5);
  assert.equal(mailsTo('free-1@example.net').length, 5);
  assert.equal(mailsTo('free-2@example.net').length, 5);
  assert.equal(refused.length, 5);
  for (const problem of refused) {
    assert.match(problem, /^Mail limit reached for full\S*@example\.net: 5 a day for an address\. /i);
    assert.match(problem, nextMails);
    assert.match(problem, /The other addresses received it\.$/);
  }
});

test('the mails to strangers of one owner count together, whatever the integration', async (t) => {
  const owner = await addPerson(database, { email: 'owner@example.com' });
  const made = [];
  for (const name of ['first', 'second']) {
    const channels = [email(`${name}-a@example.net`, `${name}-b@example.net`, 'owner@example.com')];
    const { integrationId } = await integrationFor({ ...each, channels });
    await addToTeam(database, integrationId, owner, 'owner');
    await end(integrationId, 1, 'failure');
    made.push(integrationId);
  }
  await startThree(t, { maxMailsPerDay: 3 });
  const rows = (await Promise.all(made.map((integrationId) => settled(integrationId)))).flat();
  assert.deepEqual(rows.map(({ status }) => status).toSorted(), ['failed', 'sent']);
  assert.match(
    String(rows.find(({ status }) => status === 'failed')?.problem),
    /^Mail limit reached: 3 a day to addresses without a member, .* The other addresses received it\.$/,
  );
  const strangers = mailServer.mails.flatMap(({ to }) => to).filter((to) => /^(first|second)-/.test(to));
  assert.equal(strangers.length, 2);
  assert.equal(mailsTo('owner@example.com').length, 2);
});

test('two integrations mail the same addresses in opposite order at once', async (t) => {
  const to = Array.from({ length: 20 }, (_, index) => `both-${index}@example.com`);
  const made = await Promise.all(
    [to, to.toReversed()].map((list) => integrationFor({ ...each, channels: [email(...list)] })),
  );
  for (let run = 1; run <= 10; run++)
    for (const { integrationId } of made) await end(integrationId, run, 'failure');
  await startThree(t, {});
  for (const { integrationId } of made) {
    const problems = (await settled(integrationId)).map(({ problem }) => problem);
    assert.deepEqual(
      problems,
      Array.from({ length: 10 }, () => null),
    );
  }
});

test('mails of other integrations do not use up the limit of a member', async (t) => {
  const channels = [email('ann@example.com')];
  const strangers = await integrationFor({ ...each, channels });
  const team = await integrationFor({ channels });
  const ann = await addPerson(database, { email: 'Ann@example.com' });
  await addToTeam(database, team.integrationId, ann, 'owner');
  for (let run = 1; run <= 3; run++) await end(strangers.integrationId, run, 'failure');
  await start(t, { maxMailsToAddressPerDay: 2 }, viaSmtp);
  assert.deepEqual((await settled(strangers.integrationId)).map(({ status }) => status).toSorted(), [
    'failed',
    'sent',
    'sent',
  ]);
  await end(team.integrationId, 1, 'failure');
  assert.deepEqual(
    (await settled(team.integrationId)).map(({ status }) => status),
    ['sent'],
  );
  const sources = mailsTo('ann@example.com').map(({ source }) => source.includes('You get this mail'));
  assert.deepEqual(sources, [true, true, false]);
});

test('a notification is sent when the database answers again', async (t) => {
  await database.asOwner(
    `create function away() returns trigger language plpgsql as $$
     begin raise exception 'starting' using errcode = '57P03'; end $$;
     create trigger away before insert on mail_counts execute function away()`,
  );
  const { integrationId } = await integrationFor({ channels: [email('outage@example.com')] });
  await end(integrationId, 1, 'failure');
  await start(t, {}, viaSmtp);
  await waitUntil('an attempt', () => logged.some((line) => line.includes('will retry')));
  await database.asOwner('drop trigger away on mail_counts');
  assert.deepEqual(
    (await settled(integrationId)).map(({ status }) => status),
    ['sent'],
  );
  assert.equal(mailsTo('outage@example.com').length, 1);
});
