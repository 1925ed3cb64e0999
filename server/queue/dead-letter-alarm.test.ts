import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, test } from 'node:test';
import { Writable } from 'node:stream';
import pino from 'pino';
import { Registry } from 'prom-client';
import type { Service } from '#platform/runtime/service.ts';
import { makeSendMail } from '#server/mail/send-mail.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { serve } from '#test/support/network/serve.ts';
import { makeDeadLetterAlarm, type AlarmDeps } from './dead-letter-alarm.ts';
import { operatorChannels, type DeadLetterAlarm } from './operator-channels.ts';
import { ageRows, updateRows } from '#test/support/database/rows.ts';

const { database, queue, send, take } = await createTestQueue();

const posts: (DeadLetterAlarm & { type: string })[] = [];
let answer: { status: number; location?: string } = { status: 204 };
const receiver = await serve((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    posts.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof posts)[number]);
    response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location });
    response.end();
  });
});
const url = `${receiver.url}/alarm`;

const mailServer = await startMailServer();
const sendMail = makeSendMail(
  { smtpUrl: mailServer.url, mailFrom: 'forgewatch@example.com' },
  pino({ level: 'silent' }),
);
const ways = { publicUrl: 'https://ci.example.com', sendMail, alarmEmail: undefined };
const channels = operatorChannels({ ...ways, alarmWebhookUrl: url });

const running: Service[] = [];
let lines: { level: number; msg: string }[] = [];
const log = pino(
  new Writable({
    write: (chunk: Buffer, _encoding, done) => done(void lines.push(JSON.parse(chunk.toString()) as never)),
  }),
);
afterEach(async () => {
  await Promise.all(running.splice(0).map((alarm) => alarm.stop()));
  await queue.deadLetters.drop({});
  await updateRows(database, 'dead_letter_alarm', { raised_at: null });
  posts.length = 0;
  lines = [];
  answer = { status: 204 };
});

let looks = 0;
const watched: AlarmDeps['db'] = {
  ...database.worker,
  withScope: (...scoped) => {
    looks += 1;
    return database.worker.withScope(...scoped);
  },
};

/** An alarm of one process; returns what it reported. */
async function startAlarm(options: Partial<AlarmDeps> = {}): Promise<DeadLetterAlarm[]> {
  const reported: DeadLetterAlarm[] = [];
  const alarm = makeDeadLetterAlarm({
    db: watched,
    queue,
    metrics: new Registry(),
    log,
    channels,
    everyMs: 5,
    onNewDeadLetters: async (added) => void reported.push(added),
    ...options,
  });
  running.push(alarm);
  await alarm.start();
  return reported;
}

async function fail(groupId: string, reasons: readonly string[]): Promise<void> {
  for (const reason of reasons) await send(groupId, reason);
  const batch = await take();
  await batch.settle(
    batch.records.map(({ messageId }, index) => ({ messageId, reason: reasons[index] ?? '' })),
  );
}

const said = (text: string): boolean => lines.some(({ msg }) => msg.includes(text));
/** Until each alarm looked several times more. */
async function someLooks(): Promise<void> {
  const enough = looks + 8 * running.length;
  await waitUntil('the alarms to look again', () => looks >= enough);
}

test('a dead letter raises the alarm once in the log, the webhook and the event log', async () => {
  const reported = await startAlarm();
  const groupId = randomUUID();
  await fail(groupId, ['invalid_json', 'refused_by_store', 'invalid_json']);
  await waitUntil('the alarm', () => posts.length > 0);
  await someLooks();
  const alarm = { count: 3, byReason: { invalid_json: 2, refused_by_store: 1 }, byGroup: { [groupId]: 3 } };
  assert.deepEqual(reported, [alarm]);
  assert.deepEqual(posts, [{ type: 'dead_letters', ...alarm }]);
  assert.ok(
    lines.some(({ level, msg }) => level === 50 && msg.startsWith('messages are in the dead letters')),
  );
});

test('new dead letters are reported one by one while the alarm is active, and the webhook hourly', async () => {
  const reported = await startAlarm();
  const [one, two] = [randomUUID(), randomUUID()];
  await fail(one, ['invalid_json']);
  await waitUntil('the alarm', () => posts.length > 0);
  // A look may raise the alarm for a dead letter that only the next look reports.
  await waitUntil('the report of the first dead letter', () => reported.length === 1);
  await fail(two, ['invalid_json']);
  await waitUntil('the report of the second dead letter', () => reported.length === 2);
  assert.deepEqual(reported[1]?.byGroup, { [two]: 1 });
  await someLooks();
  assert.equal(posts.length, 1);
  await ageRows(database, 'dead_letter_alarm.raised_at', '61 minutes');
  await waitUntil('the alarm to be repeated', () => posts.length === 2);
  assert.equal(posts[1]?.count, 2);
});

test('the alarm ends when the dead letters are empty, and the next dead letter raises it again', async () => {
  await startAlarm();
  await fail(randomUUID(), ['invalid_json']);
  await waitUntil('the alarm', () => posts.length === 1);
  await queue.deadLetters.drop({});
  await waitUntil('the end of the alarm', () => said('empty again'));
  await fail(randomUUID(), ['invalid_json']);
  await waitUntil('the next alarm', () => posts.length === 2);
});

test('several processes raise one alarm, and a restarted process does not raise it again', async () => {
  const reported = [await startAlarm(), await startAlarm(), await startAlarm()];
  await fail(randomUUID(), ['invalid_json']);
  await waitUntil('the alarm', () => posts.length > 0);
  reported.push(await startAlarm());
  await someLooks();
  assert.equal(reported.flat().length, 1);
  assert.equal(posts.length, 1);
});

test('a channel that fails or redirects is logged, and the dead letters are reported', async () => {
  answer = { status: 307, location: url };
  const reported = await startAlarm();
  await fail(randomUUID(), ['invalid_json']);
  await waitUntil('the failure to be logged', () => said('did not take'));
  assert.equal(posts.length, 1);
  // A dead letter that arrives between the two checks of one round is reported in the next round.
  await waitUntil('the report of the dead letter', () => reported.length === 1);
});

test('ALARM_EMAIL gets the count, the reasons and what to do, also when the webhook does not answer', async () => {
  answer = { status: 500 };
  await startAlarm({
    channels: operatorChannels({
      ...ways,
      alarmWebhookUrl: url,
      alarmEmail: 'ops@example.com,on-call@example.com',
    }),
  });
  await fail(randomUUID(), ['invalid_json']);
  const [mail] = await waitUntil('the mail', () => mailServer.mails.length > 0 && mailServer.mails);
  assert.deepEqual(mail?.to, ['ops@example.com', 'on-call@example.com']);
  assert.match(mail?.source ?? '', /^Subject: Forgewatch: 1 message is in the dead letters\r$/m);
  assert.match(mail?.source ?? '', /invalid_json: 1/);
  assert.match(mail?.source ?? '', /forgewatch dead-letters list/);
});

test('dead letters are reported later when the report failed', async () => {
  let refusals = 2;
  const reported: DeadLetterAlarm[] = [];
  await startAlarm({
    onNewDeadLetters: async (added) => {
      if (refusals > 0) {
        refusals -= 1;
        throw new Error('the event log is away');
      }
      reported.push(added);
    },
  });
  await fail(randomUUID(), ['invalid_json']);
  await waitUntil('the report of the dead letter', () => reported.length > 0);
  assert.equal(reported[0]?.count, 1);
});

test('the metrics count what waits, what is out and what is dead, each time they are asked for', async () => {
  const metrics = new Registry();
  await startAlarm({ metrics, channels: [] });
  const groupId = randomUUID();
  await fail(groupId, ['invalid_json', 'invalid_json']);
  await send(groupId, 'out');
  const batch = await take();
  await send(groupId, 'waits');
  await send(groupId, 'waits');
  const text = await metrics.metrics();
  const value = (name: string) => new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  assert.deepEqual(
    [value('forgewatch_queue_ready'), value('forgewatch_queue_in_flight'), value('forgewatch_dead_letters')],
    ['2', '1', '2'],
  );
  await batch.settle([]);
});
