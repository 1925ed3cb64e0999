import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasHiddenCharacters } from '#contract/base/plain-text.ts';
import { discordBody, slackBody, teamsBody } from './channel-chat.ts';
import { factsMail } from '#server/mail/facts-mail.ts';
import { webhookBody } from './channel-webhook.ts';
import { cleanContent } from '../notifications/content/clean-content.ts';
import { incidentContent } from '../notifications/content/notification-content.ts';

const at = '2026-01-05T10:00:00.000Z';
const failure = {
  event: 'job' as const,
  runId: 1,
  attempt: 1,
  jobId: 2,
  name: 'test',
  conclusion: 'failure',
  actor: 'ann',
  url: 'https://forge.example.com/run/1',
  at,
};
const incident = {
  incident_id: 'i',
  repository: 'acme/site',
  workflow: 'CI',
  branch: 'main',
  opened_at: at,
  closed_at: null,
  closed_by_run_id: null,
  kind: 'failure' as const,
  subject: null,
  failed_runs: 1,
  failed_jobs: 1,
  first_failure: failure,
  last_failure: failure,
};

/** The content with a log line as step and as error, as channels get it. */
function contentWith(line: string) {
  const head = { notificationId: 'msg', integrationId: 'int', ruleName: 'Main' };
  const reason = { jobId: 2, job: 'test', step: line, errorLine: line, groupId: 'group', assessment: null };
  return cleanContent(incidentContent(head, 'opened', incident, failure, { reason }));
}

const pieces = [
  '<!channel>',
  '<!here|x>',
  '@everyone',
  '@here',
  '<@U123>',
  '@ann',
  '#general',
  ':tada:',
  '&lt;!channel&gt;',
  'https://evil.example/x',
  'www.evil.example',
  'evil.example',
  'mailto:a@evil.example',
  '+49 30 1234567',
  '[a](http://evil.example)',
  '**bold**',
  '_i_',
  '~~s~~',
  '`code`',
  '```',
  '> quote',
  '# title',
  '- item',
  '||s||',
  '<script>alert(1)</script>',
  '"><img src=x onerror=y>',
  '&amp;',
  '\r\nBcc: all@example.com',
  '\n\n',
  '\0',
  '\u202e',
  '\u200b',
  '\u001b[31m',
  '\ud800',
  '😀',
  '\\',
  '\\@everyone',
  ' ',
  '',
];
const hostileLine = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 30 })), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

const always = (check: (line: string) => void): void =>
  fc.assert(fc.property(hostileLine, check), { numRuns: 500, examples: pieces.map((piece) => [piece]) });

test('no log line becomes markup, a link or a mention in Slack', () => {
  always((line) => {
    const { attachments, text } = JSON.parse(slackBody(contentWith(line)));
    for (const value of [text, ...attachments[0].fields.map((field: { value: string }) => field.value)]) {
      assert.doesNotMatch(value, /[<>]|&(?!amp;|lt;|gt;)|[@*_~`[\]!](?!\u2060)|:[a-z/]/i);
      assert.ok(value.length <= 5000);
    }
  });
});

test('no log line becomes markup or a mention in Discord', () => {
  always((line) => {
    const body = JSON.parse(discordBody(contentWith(line)));
    assert.deepEqual(body.allowed_mentions, { parse: [] });
    for (const { value } of body.embeds[0].fields) {
      assert.doesNotMatch(value.replaceAll(/\\[\\*_~`|>#[\]()<@:-]/g, ''), /[\\*_~`|>#[\]()<@]|:(?!\d)/);
      assert.ok(value.length > 0 && value.length <= 1024);
    }
  });
});

test('a log line is plain text in Teams', () => {
  always((line) => {
    const card = JSON.parse(teamsBody(contentWith(line))).attachments[0].content;
    for (const { type, inlines } of card.body)
      assert.deepEqual([type, inlines[0].type, inlines.length], ['RichTextBlock', 'TextRun', 1]);
    assert.deepEqual(
      card.actions.map(({ url }: { url: string }) => url),
      [failure.url],
    );
  });
});

test('no log line becomes markup, a link, a header or a further line in a mail', () => {
  const mailWith = (line: string) => factsMail({ ...contentWith(line), to: ['a@example.com'], notice: null });
  const lines = (line: string): number => mailWith(line).text.split('\n').length;
  const most = lines('x');
  always((line) => {
    const { text, html, subject } = mailWith(line);
    assert.ok(lines(line) <= most);
    const own =
      /<\/?(?:p|table|tr|td|strong)(?: style="[\w:;#-]*")?>|<a href="https:\/\/forge\.example\.com\/run\/1">|<\/a>/g;
    assert.doesNotMatch((html ?? '').replaceAll(own, ''), /[<>"']/);
    const quoted = text.split('\n').filter((each) => /^(?:Step|Error): /.test(each));
    for (const each of quoted)
      assert.doesNotMatch(
        each.slice(7),
        /\S[.．。｡]\p{L}|[@＠](?!\u2060)|\p{L}[:：](?=[^\s\u2060])|\d(?:[\s().-]*\d){6}/u,
      );
    assert.doesNotMatch(subject, /[\r\n]/);
  });
});

test('no log line has a bare link in a chat', () => {
  always((line) => {
    for (const body of [slackBody, discordBody, teamsBody])
      assert.doesNotMatch(body(contentWith(line)), /www[.．。｡]/i);
  });
});

test('a log line is bounded and visible in a webhook', () => {
  always((line) => {
    const { data } = JSON.parse(webhookBody(contentWith(line), 0));
    for (const text of [data.reason.step, data.reason.errorLine]) {
      assert.ok([...text].length <= 1000);
      assert.ok(!hasHiddenCharacters(text) && text.isWellFormed());
    }
  });
});
