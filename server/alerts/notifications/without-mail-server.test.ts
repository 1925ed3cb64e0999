import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { startAlertProgram } from '#test/support/alerts/alert-program.ts';

const { program, call, items, addRule } = await startAlertProgram({ SMTP_URL: '' });

test('a mail is logged and reported as failed when no mail server is configured', async () => {
  const integration = await program.createIntegration();
  const { ruleId } = await addRule(integration, { channels: [{ type: 'email', to: ['try@example.com'] }] });
  const answer = await call(integration, 'POST', `notification-rules/${ruleId}/test`);
  assert.equal(answer.status, 200, await answer.clone().text());
  const line =
    program
      .logged()
      .split('\n')
      .find((each) => each.includes('mail not sent')) ?? '{}';
  const { to, subject, text } = JSON.parse(line) as Record<string, string>;
  assert.deepEqual([to, subject], ['try@example.com', '[Forgewatch] This is a test message of Forgewatch']);
  assert.match(text ?? '', /Rule: Broken main/);
  const [failed] = await items<LogEntry>(integration, 'event-log?type=alert.failed');
  assert.match(failed?.title ?? '', /^“Broken main” could not notify .*: No mail server is configured/);
});
