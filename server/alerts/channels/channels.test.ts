import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { Failure } from '#contract/alerts/incidents.ts';
import { discordBody, slackBody, teamsBody } from './channel-chat.ts';
import { factsMail } from '#server/mail/facts-mail.ts';
import { makeSigningSecret, signedHeaders } from '#server/outgoing-webhooks/signing.ts';
import { webhookBody } from './channel-webhook.ts';
import {
  incidentContent,
  testContent,
  type NotificationContent,
} from '../notifications/content/notification-content.ts';

const hostile = '<!channel> <b>&"x"</b> @everyone [a](http://x) *bold*\r\nBcc: all@example.com';
const failure: Failure = {
  event: 'job',
  runId: 1,
  attempt: 1,
  jobId: 2,
  name: hostile,
  conclusion: 'failure',
  actor: hostile,
  url: 'https://forge.example.com/run/1',
  at: '2026-01-05T10:00:00.000Z',
};
const row = {
  incident_id: 'i',
  repository: 'acme/site',
  workflow: hostile,
  branch: 'x'.repeat(5000),
  opened_at: '2026-01-05T10:00:00Z',
  closed_at: '2026-01-05T10:05:00Z',
  closed_by_run_id: null,
  kind: 'failure' as const,
  subject: null,
  failed_runs: 1,
  failed_jobs: 60,
  first_failure: failure,
  last_failure: failure,
};
const head = { notificationId: 'msg', integrationId: 'int', ruleName: 'Main' };
const content: NotificationContent = incidentContent(head, 'opened', row, failure);

test('a notification is short with names of any length', () => {
  for (const body of [slackBody(content), teamsBody(content), discordBody(content)])
    assert.ok(body.length < 6000, String(body.length));
  assert.ok(content.title.length < 500);
  assert.ok(JSON.parse(discordBody(content)).embeds[0].title.length <= 256);
});

test('names never become markup, links or mentions in a chat', () => {
  const slack = slackBody(content);
  assert.doesNotMatch(slack, /<|@everyone|\[a\]|\*bold/);
  assert.match(slack, /&lt;!\u2060channel&gt;/);
  assert.doesNotMatch(slack.replace(`"title_link":"${failure.url}"`, ''), /https?:\/\//);
  const discord = JSON.parse(discordBody(content));
  assert.deepEqual(discord.allowed_mentions, { parse: [] });
  assert.match(discord.embeds[0].title, /\\<!channel\\>.*\\@everyone \\\[a\\\]/);
  const teams = JSON.parse(teamsBody(content)).attachments[0].content;
  for (const block of teams.body) for (const inline of block.inlines) assert.equal(inline.type, 'TextRun');
});

test('a person without a visible name is left out in Discord', () => {
  const body = discordBody(incidentContent(head, 'opened', row, { ...failure, actor: '\u200b' }));
  const { fields } = JSON.parse(body).embeds[0];
  assert.ok(fields.every(({ value }: { value: string }) => value !== ''));
});

test('a shortened name in Discord ends with a whole character and keeps the text direction', () => {
  for (const start of ['', 'x']) {
    const body = discordBody({ ...content, title: start + '😀'.repeat(200) });
    assert.ok(JSON.parse(body).embeds[0].title.isWellFormed());
  }
  const { title } = incidentContent(
    head,
    'opened',
    { ...row, workflow: 'CI', branch: '\u202eniam' },
    failure,
  );
  assert.equal(title, 'CI in acme/site on niam is red');
});

test('names never become HTML or headers in a mail', () => {
  const mail = factsMail({ ...content, to: ['ann@example.com'], notice: null });
  assert.ok(mail.html !== undefined);
  assert.doesNotMatch(mail.html, /<b>|<!channel/);
  assert.match(mail.html, /&lt;b&gt;&amp;&quot;x&quot;/);
  assert.doesNotMatch(mail.subject, /[\r\n]/);
});

test('no name becomes a link in a mail', () => {
  const names = { repository: 'evil.example/x', workflow: 'www.evil．example', branch: 'call 0800 1 2 3 4' };
  const job = { ...failure, name: 'a@evil.example' };
  const { text } = factsMail({
    ...incidentContent(head, 'opened', { ...row, ...names }, job),
    to: [],
    notice: null,
  });
  const lines = text.split('\n').filter((line) => !line.startsWith('Red since') && line !== job.url);
  assert.equal(lines.filter((line) => line.includes('evil')).length, 2);
  for (const line of lines)
    assert.doesNotMatch(line, /\S[.．]\p{L}|@(?!\u2060)|\p{L}:(?=[^\s\u2060])|\d[ \d]{6}/u);
});

test('only web URLs become links', () => {
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'no url',
    null,
    `https://x.example/${'a'.repeat(1000)}`,
  ]) {
    assert.equal(incidentContent(head, 'opened', row, { ...failure, url }).link, null);
  }
  assert.equal(content.link, failure.url);
});

test('a recovery says how long the branch was broken', () => {
  const { title } = incidentContent(head, 'recovered', { ...row, workflow: 'CI', branch: 'main' }, failure);
  assert.equal(title, 'CI in acme/site on main is green again after 5 min');
});

test('a signed webhook verifies with Standard Webhooks', () => {
  const secret = makeSigningSecret();
  const now = Date.UTC(2026, 0, 5);
  const body = webhookBody(testContent(head, 'https://fw.example.com'), now);
  const headers = signedHeaders([secret], 'msg', now, body);
  assert.equal(headers['webhook-id'], 'msg');
  assert.equal(headers['webhook-timestamp'], String(now / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  assert.equal(key.length, 32);
  const signed = createHmac('sha256', key)
    .update(`msg.${now / 1000}.${body}`)
    .digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${signed}`);
  assert.deepEqual(JSON.parse(body).type, 'test');
});

test('the published example of Standard Webhooks verifies', () => {
  const headers = signedHeaders(
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330_000,
    '{"test": 2432232314}',
  );
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
