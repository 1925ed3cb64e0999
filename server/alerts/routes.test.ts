import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { ChannelInput, NotificationRule, RuleBody } from '#contract/alerts/alerts.ts';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import type { Notification } from '#contract/alerts/incidents.ts';
import { endOfJob, endOfRun, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { createRule } from '#server/alerts/rules/save-rule.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { ageRows, readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, call, items, addRule, post, mailsTo } = await startAlertProgram();

test('a response shows URLs as their host and signing secrets once; omitted fields keep their values', async () => {
  const integration = await program.createIntegration();
  const url = 'https://hooks.example.com/services/T00/secret-path';
  const made = await addRule(integration, { channels: [{ type: 'webhook', url }] });
  const [channel] = made.channels;
  assert.equal(channel?.host, 'hooks.example.com');
  assert.match(channel.signingSecret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
  const [read] = await items<NotificationRule>(integration, 'notification-rules');
  assert.equal(read?.channels[0]?.signingSecret, null);
  assert.doesNotMatch(JSON.stringify(read), /secret-path/);
  const stored = async () => {
    const channels = { integration_id: integration.integrationId };
    const [row] = await readRows(program.database, 'notification_channels', channels);
    return [row?.['sealed_url'], row?.['sealed_secret']] as Buffer[];
  };
  const before = await stored();
  assert.doesNotMatch(before[0]!.toString('latin1'), /example/);
  const change = await call(integration, 'PUT', `notification-rules/${made.ruleId}`, {
    ...ruleBody({ name: 'Other' }),
    channels: [{ channelId: channel.channelId, type: 'webhook' }],
  });
  assert.equal(change.status, 200, await change.clone().text());
  assert.equal(((await change.json()) as NotificationRule).channels[0]?.signingSecret, null);
  assert.deepEqual(await stored(), before);
  const named = { channelId: channel.channelId, type: 'webhook' } as const;
  const wrong: [ChannelInput[], string][] = [
    [[named, named], 'channels.1.channelId'],
    [[{ ...named, type: 'slack' }], 'channels.0.type'],
  ];
  for (const [channels, field] of wrong) {
    const refused = await call(
      integration,
      'PUT',
      `notification-rules/${made.ruleId}`,
      ruleBody({ channels }),
    );
    const { errors } = (await refused.json()) as { errors: { field: string }[] };
    assert.deepEqual([refused.status, errors[0]?.field], [400, field]);
  }
  const renewal = ruleBody({ channels: [{ ...named, renewSecret: true }] });
  const renewed = await call(integration, 'PUT', `notification-rules/${made.ruleId}`, renewal);
  const { signingSecret } = ((await renewed.json()) as NotificationRule).channels[0] ?? {};
  assert.match(signingSecret ?? '', /^whsec_/);
  assert.notEqual(signingSecret, channel.signingSecret);
});

test('a channel of another rule is copied with its URL or addresses, and only within the integration', async () => {
  const integration = await program.createIntegration();
  const url = 'https://hooks.example.com/services/T00/secret-path';
  const first = await addRule(integration, {
    channels: [
      { type: 'webhook', url },
      { type: 'email', to: ['a@example.com', 'b@example.com'] },
    ],
  });
  const [hook, mail] = first.channels;
  const copies: ChannelInput[] = [
    { type: 'webhook', copyOf: hook!.channelId },
    { type: 'email', copyOf: mail!.channelId },
  ];
  const second = await addRule(integration, { name: 'Second', channels: copies });
  assert.deepEqual(
    second.channels.map(({ host, to }) => [host, to]),
    [
      ['hooks.example.com', null],
      [null, ['a@example.com', 'b@example.com']],
    ],
  );
  assert.doesNotMatch(JSON.stringify(second), /secret-path/);
  assert.notEqual(second.channels[0]?.signingSecret, hook?.signingSecret);
  await call(integration, 'DELETE', `notification-rules/${first.ruleId}`);
  const sent = await call(integration, 'POST', `notification-rules/${second.ruleId}/test`);
  const { results } = (await sent.json()) as { results: { target: string; problem: string | null }[] };
  assert.equal(results[0]?.target, 'hooks.example.com');
  const [copied] = second.channels;
  const wrong: ChannelInput[] = [
    { type: 'slack', copyOf: copied!.channelId },
    { type: 'webhook', copyOf: copied!.channelId, url },
    { type: 'webhook', copyOf: hook!.channelId },
  ];
  for (const channel of wrong) {
    const refused = await call(integration, 'POST', 'notification-rules', ruleBody({ channels: [channel] }));
    const { errors } = (await refused.json()) as { errors: { field: string }[] };
    assert.deepEqual([refused.status, errors[0]?.field], [400, 'channels.0.copyOf']);
  }
  const other = await program.createIntegration();
  const foreign = ruleBody({ channels: [{ type: 'webhook', copyOf: copied!.channelId }] });
  assert.equal((await call(other, 'POST', 'notification-rules', foreign)).status, 400);
});

test('an invalid rule is refused with the name of the field', async () => {
  const integration = await program.createIntegration();
  const names = (count: number) => ({ include: Array<string>(count).fill('x'.repeat(200)), exclude: [] });
  const wrong: [Partial<RuleBody>, string][] = [
    [{ channels: [{ type: 'slack' }] }, 'channels.0.url'],
    [{ channels: [{ type: 'slack', url: 'http://hooks.example.com/' }] }, 'channels.0.url'],
    [{ channels: [{ type: 'webhook', url: 'https://127.0.0.1/' }] }, 'channels.0.url'],
    [{ channels: [{ type: 'email' }] }, 'channels.0.to'],
    [{ channels: [{ type: 'email', to: ['nobody'] }] }, 'channels.0.to.0'],
    [{ channels: [{ type: 'email', to: ['"a@other.example, b"@example.com'] }] }, 'channels.0.to.0'],
    [{ channels: [{ type: 'email', to: ['"a\r\nBcc: b"@example.com'] }] }, 'channels.0.to.0'],
    [{ channels: [{ type: 'slack', channelId: integration.integrationId }] }, 'channels.0.channelId'],
    [{ conclusions: [] }, 'conclusions'],
    [{ jobs: names(2), branches: names(14) }, 'branches'],
    [{ jobs: { include: [], exclude: names(16).include } }, 'jobs'],
  ];
  for (const [fields, field] of wrong) {
    const answer = await call(integration, 'POST', 'notification-rules', ruleBody(fields));
    const problem = (await answer.json()) as { errors: { field: string }[] };
    assert.equal(answer.status, 400, field);
    assert.equal(problem.errors[0]?.field, field);
  }
  assert.deepEqual(await items(integration, 'notification-rules'), []);
  const tried = ruleBody({ branches: names(16) });
  assert.equal((await call(integration, 'POST', 'notification-rules/back-test', tried)).status, 400);
  await addRule(integration, { branches: names(15) });
});

test('an integration has at most 50 rules', async () => {
  const integration = await program.createIntegration();
  const deps = { db: program.database.api, sealer: program.sealer, refusal: () => undefined };
  const place = { integrationId: integration.integrationId, actorId: randomUUID() };
  for (let count = 0; count < 50; count++) await createRule(deps, place, ruleBody());
  const answer = await call(integration, 'POST', 'notification-rules', ruleBody());
  assert.equal(answer.status, 409);
  assert.match(((await answer.json()) as { detail: string }).detail, /at most 50 rules/);
});

test('a test send sends one message per channel and returns the results', async () => {
  const integration = await program.createIntegration();
  const { ruleId } = await addRule(integration, {
    channels: [
      { type: 'email', to: ['try@example.com'] },
      { type: 'slack', url: 'https://nowhere.invalid/' },
    ],
  });
  const answer = await call(integration, 'POST', `notification-rules/${ruleId}/test`);
  assert.equal(answer.status, 200, await answer.clone().text());
  const { results } = (await answer.json()) as { results: { sent: boolean; problem: string | null }[] };
  assert.deepEqual(
    results.map(({ sent }) => sent),
    [true, false],
  );
  assert.equal(typeof results[1]?.problem, 'string');
  assert.equal(mailsTo('try@example.com').length, 1);
  const noted = await items<Notification>(integration, `notification-rules/${ruleId}/deliveries`);
  assert.deepEqual(noted.map(({ kind, status }) => `${kind} ${status}`).sort(), ['test failed', 'test sent']);
  const [tested] = await items<LogEntry>(integration, 'event-log?type=rule.tested');
  assert.equal(tested?.severity, 'warning');
  assert.match(tested.title, /1 of 2 channels accepted the message$/);
  const entries = await items<LogEntry>(integration, 'event-log?type=alert');
  assert.deepEqual(
    entries.map(({ type }) => type),
    ['alert.failed'],
  );
});

test('a rule that is not saved can be tested, and a stored channel keeps its URL', async () => {
  const integration = await program.createIntegration();
  const { channels } = await addRule(integration, {
    channels: [{ type: 'slack', url: 'https://nowhere.invalid/' }],
  });
  const tryRule = (...tried: ChannelInput[]) =>
    call(integration, 'POST', 'notification-rules/test', ruleBody({ name: 'Tried', channels: tried }));
  const answer = await tryRule(
    { type: 'email', to: ['unsaved@example.com'] },
    { type: 'slack', channelId: channels[0]!.channelId },
    { type: 'slack', copyOf: channels[0]!.channelId },
    { type: 'webhook', url: 'https://new.invalid/' },
  );
  assert.equal(answer.status, 200, await answer.clone().text());
  const { results } = (await answer.json()) as { results: { sent: boolean; target: string }[] };
  assert.deepEqual(
    results.map(({ sent, target }) => [target, sent]),
    [
      ['unsaved@example.com', true],
      ['nowhere.invalid', false],
      ['nowhere.invalid', false],
      ['new.invalid', false],
    ],
  );
  const [mail] = mailsTo('unsaved@example.com');
  assert.match(JSON.stringify(mail), /Tried/);
  assert.equal((await items(integration, 'notification-rules')).length, 1, 'nothing is saved');
  const [tested] = await items<LogEntry>(integration, 'event-log?type=rule.tested');
  assert.match(tested!.title, /“Tried”, as it is being edited, was tested: 1 of 4 channels/);
  const wrong: [ChannelInput, string][] = [
    [{ type: 'slack' }, 'channels.0.url'],
    [{ type: 'webhook', url: 'https://127.0.0.1/' }, 'channels.0.url'],
    [{ type: 'slack', channelId: integration.integrationId }, 'channels.0.channelId'],
  ];
  for (const [channel, field] of wrong) {
    const refused = await tryRule(channel);
    const { errors } = (await refused.json()) as { errors: { field: string }[] };
    assert.deepEqual([refused.status, errors[0]?.field], [400, field]);
  }
  const other = await program.createIntegration();
  const foreign = ruleBody({ channels: [{ type: 'slack', channelId: channels[0]!.channelId }] });
  assert.equal((await call(other, 'POST', 'notification-rules/test', foreign)).status, 400);
});

test('a rule with an unknown time zone is refused, whether it is saved, tested or back-tested', async () => {
  const integration = await program.createIntegration();
  const body = ruleBody({ watch: 'weekly_digest', timeZone: 'Nowhere/Bad' });
  for (const route of ['', '/test', '/back-test']) {
    const refused = await call(integration, 'POST', `notification-rules${route}`, body);
    const { errors } = (await refused.json()) as { errors?: { field: string }[] };
    assert.deepEqual([refused.status, errors?.[0]?.field], [400, 'timeZone'], route);
  }
});

test('a test send names the addresses that the mail server refused', async () => {
  const integration = await program.createIntegration();
  const { ruleId } = await addRule(integration, {
    channels: [{ type: 'email', to: ['taken@example.com', 'gone@refused.example.com'] }],
  });
  const answer = await call(integration, 'POST', `notification-rules/${ruleId}/test`);
  const { results } = (await answer.json()) as { results: { sent: boolean; problem: string | null }[] };
  assert.equal(results[0]?.sent, false);
  assert.match(results[0].problem ?? '', /refused these addresses: gone@refused\.example\.com\./);
  assert.equal(mailsTo('taken@example.com').length, 1);
});

test('test messages are limited per integration and address', async () => {
  const integration = await program.createIntegration();
  const addresses = Array.from({ length: 20 }, (_, index) => `limit-${index}@example.com`);
  const { ruleId } = await addRule(integration, {
    channels: Array.from({ length: 5 }, () => ({ type: 'email' as const, to: addresses })),
  });
  const send = (to = integration, rule = ruleId) => call(to, 'POST', `notification-rules/${rule}/test`);
  assert.equal((await send()).status, 200);
  await ageRows(program.database, 'test_sends.sent_at', '50 minutes');
  assert.equal((await send()).status, 200);
  const refused = await send();
  assert.equal(refused.status, 429);
  const unsaved = ruleBody({ channels: [{ type: 'email', to: ['limit-0@example.com'] }] });
  assert.equal((await call(integration, 'POST', 'notification-rules/test', unsaved)).status, 429);
  assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests');
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 500 && seconds <= 600, String(seconds));
  assert.equal(mailsTo('limit-0@example.com').length, 10);
  const other = await program.createIntegration();
  const { ruleId: otherRule } = await addRule(other, {
    channels: [{ type: 'email', to: ['o@example.com'] }],
  });
  assert.equal((await send(other, otherRule)).status, 200);
  await ageRows(program.database, 'test_sends.sent_at', '11 minutes');
  assert.equal((await send()).status, 200);
});

test('a back-test evaluates stored and unsaved rules', async () => {
  const integration = await program.createIntegration();
  await post(integration, 'workflow_run', endOfRun(400, 'failure', 10));
  await post(integration, 'workflow_run', endOfRun(401, 'success', 70));
  // Its run, which ends at once, speaks for it afterwards.
  await post(integration, 'workflow_job', endOfJob(402, 1, 'failure', 90));
  await post(integration, 'workflow_run', endOfRun(402, 'success', 90));
  await waitUntil('the runs', async () => (await items(integration, 'workflows')).length === 3);
  const answer = await call(integration, 'POST', 'notification-rules/back-test', ruleBody());
  assert.equal(answer.status, 200, await answer.clone().text());
  const { fired, recovered, samples } = (await answer.json()) as {
    fired: number;
    recovered: number;
    samples: { redMs: number }[];
  };
  assert.deepEqual([fired, recovered, samples.map(({ redMs }) => redMs)], [2, 2, [0, 60_000]]);
});

test('a deleted rule no longer notifies, and its notifications are deleted', async () => {
  const integration = await program.createIntegration();
  const { ruleId } = await addRule(integration, {});
  assert.equal((await call(integration, 'DELETE', `notification-rules/${ruleId}`)).status, 204);
  assert.equal((await call(integration, 'DELETE', `notification-rules/${ruleId}`)).status, 404);
  assert.equal((await call(integration, 'GET', `notification-rules/${ruleId}/deliveries`)).status, 404);
});
