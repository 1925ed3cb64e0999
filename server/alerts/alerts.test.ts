import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident, NotificationRule, Notification, RuleBody } from '#contract/alerts.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { jobPayload, runPayload } from '#test/support/forge-events.ts';
import { startMailServer } from '#test/support/mail-server.ts';
import { postWebhook } from '#test/support/post-webhook.ts';
import { ruleBody } from '#test/support/rule-body.ts';
import { startTestProgram } from '#test/support/test-program.ts';
import { waitUntil } from '#test/support/wait-until.ts';

const mailServer = await startMailServer();
const program = await startTestProgram({ SMTP_URL: mailServer.url });
const { baseUrl } = program;
const origin = baseUrl.replace('127.0.0.1', 'localhost');

const startedAt = Date.now() - 600_000;
const seconds = (count: number): string => new Date(startedAt + count * 1000).toISOString();

function call(integration: CreatedIntegration, method: string, path: string, body?: unknown) {
  return fetch(`${baseUrl}/api/integrations/${integration.integrationId}/${path}`, {
    method,
    headers: { origin, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function items<T>(integration: CreatedIntegration, path: string): Promise<T[]> {
  const answer = await call(integration, 'GET', path);
  assert.equal(answer.status, 200, await answer.clone().text());
  return ((await answer.json()) as { items: T[] }).items;
}

async function addRule(
  integration: CreatedIntegration,
  fields: Partial<RuleBody>,
): Promise<NotificationRule> {
  const answer = await call(integration, 'POST', 'notification-rules', ruleBody(fields));
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()) as NotificationRule;
}

async function post(integration: CreatedIntegration, event: string, payload: object): Promise<void> {
  const { status } = await postWebhook(baseUrl, integration, { event, payload });
  assert.equal(status, 200);
}

function endOfRun(id: number, conclusion: string, at: number, more: object = {}) {
  return runPayload({
    id,
    name: 'CI',
    head_branch: 'main',
    status: 'completed',
    conclusion,
    display_title: 'Fix <b>everything</b>',
    created_at: seconds(at - 60),
    run_started_at: seconds(at - 60),
    updated_at: seconds(at),
    ...more,
  });
}

function endOfJob(runId: number, id: number, conclusion: string, at: number) {
  return jobPayload({
    id,
    run_id: runId,
    name: `test (${id})`,
    workflow_name: 'CI',
    head_branch: 'main',
    status: 'completed',
    conclusion,
    completed_at: seconds(at),
  });
}

const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to.includes(address));

test('a matrix of 60 failing jobs is one incident and one mail with a count; the next green ends it', async () => {
  const integration = await program.createIntegration();
  const rule = await addRule(integration, { channels: [{ type: 'email', to: ['matrix@example.com'] }] });
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      post(integration, 'workflow_job', endOfJob(100, 200 + index, 'failure', 10 + index)),
    ),
  );
  await post(integration, 'workflow_run', endOfRun(100, 'failure', 80));
  await post(integration, 'workflow_run', endOfRun(100, 'failure', 80));
  const [incident] = await waitUntil('all failures counted', async () => {
    const found = await items<Incident>(integration, 'incidents');
    return found[0]?.failedRuns === 1 && found[0].failedJobs === 60 && found;
  });
  assert.equal(incident?.status, 'open');
  assert.equal(incident.repository, 'acme/site');
  assert.equal(incident.openedAt, seconds(10));
  await waitUntil('the mail', () => mailsTo('matrix@example.com').length === 1);
  assert.match(mailsTo('matrix@example.com')[0]!.source, /60 failed jobs, 1 failed run/);

  await post(integration, 'workflow_run', endOfRun(101, 'success', 310));
  const [closed] = await waitUntil('the end', async () => {
    const found = await items<Incident>(integration, 'incidents?status=closed');
    return found.length === 1 && found;
  });
  assert.equal(closed?.redMs, 300_000);
  assert.equal(closed.closedByRunId, 101);
  await waitUntil('the mail of recovery', () => mailsTo('matrix@example.com').length === 2);
  assert.match(mailsTo('matrix@example.com')[1]!.source, /green again after 5 min/);

  const sent = await waitUntil('both noted', async () => {
    const found = await items<Notification>(integration, `notification-rules/${rule.ruleId}/deliveries`);
    return found.every(({ status }) => status === 'sent') && found;
  });
  assert.deepEqual(
    sent.map(({ kind, target, attempts }) => [kind, target, attempts]),
    [
      ['recovered', 'matrix@example.com', 1],
      ['opened', 'matrix@example.com', 1],
    ],
  );
  const log = await items<{ type: string; title: string }>(integration, 'event-log');
  assert.deepEqual(log.map(({ type }) => type).sort(), [
    'alert.sent',
    'alert.sent',
    'incident.closed',
    'incident.opened',
    ...log.filter(({ type }) => type.startsWith('integration.')).map(({ type }) => type),
    'rule.created',
  ]);
});

test('a run that ends red without any job is told of', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { channels: [{ type: 'email', to: ['start@example.com'] }] });
  await post(integration, 'workflow_run', endOfRun(300, 'startup_failure', 10));
  await waitUntil('the mail', () => mailsTo('start@example.com').length === 1);
  assert.match(mailsTo('start@example.com')[0]!.source, /Fix &lt;b&gt;everything/);
});

test('the main of a fork is not ours: it is neither told as ours nor ended by ours', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, {});
  const fork = { head_repository: { full_name: 'ann/site' } };
  await post(integration, 'workflow_run', endOfRun(500, 'failure', 10, fork));
  await post(integration, 'workflow_run', endOfRun(501, 'failure', 20));
  await post(integration, 'workflow_run', endOfRun(502, 'success', 30));
  const found = await waitUntil('both incidents', async () => {
    const all = await items<Incident>(integration, 'incidents');
    return all.length === 2 && all.some(({ status }) => status === 'closed') && all;
  });
  assert.deepEqual(
    found.map(({ branch, status }) => [branch, status]),
    [
      ['main', 'closed'],
      ['ann:main', 'open'],
    ],
  );
});

test('an attempt that ends in the same batch as the next begins is told of all the same', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, {});
  const begun = { status: 'in_progress', conclusion: null };
  // While somebody else holds the integration's counter, events wait for each other and go on together.
  await program.database.worker.withScope({ integrationId: integration.integrationId }, async (tx) => {
    await tx.query('select from realtime_stream where integration_id = $1 for update', [
      integration.integrationId,
    ]);
    await post(integration, 'workflow_run', endOfRun(600, 'failure', 5, { ...begun }));
    await post(integration, 'workflow_run', endOfRun(600, 'failure', 10));
    await post(integration, 'workflow_run', endOfRun(600, 'failure', 20, { ...begun, run_attempt: 2 }));
  });
  const [incident] = await waitUntil('the incident', async () => {
    const all = await items<Incident>(integration, 'incidents');
    return all.length === 1 && all;
  });
  assert.equal(incident?.firstFailure.attempt, 1);
});

test('an integration without rules writes nothing about alerts', async () => {
  const integration = await program.createIntegration();
  await post(integration, 'workflow_run', endOfRun(300, 'failure', 10));
  await waitUntil('the run', async () => (await items(integration, 'workflows')).length === 1);
  assert.deepEqual(await items(integration, 'incidents'), []);
  const left = await program.database.asOwner('select from alert_candidates where group_id = $1', [
    integration.integrationId,
  ]);
  assert.equal(left.length, 0);
});

test('URLs are shown as their host, signing secrets once; what is left out of a change stays', async () => {
  const integration = await program.createIntegration();
  const url = 'https://hooks.example.com/services/T00/secret-path';
  const made = await addRule(integration, { channels: [{ type: 'webhook', url }] });
  const [channel] = made.channels;
  assert.equal(channel?.host, 'hooks.example.com');
  assert.match(channel.signingSecret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
  const [read] = await items<NotificationRule>(integration, 'notification-rules');
  assert.equal(read?.channels[0]?.signingSecret, null);
  assert.doesNotMatch(JSON.stringify(read), /secret-path/);
  const columns = 'sealed_url, sealed_secret';
  const stored = () =>
    program.database.asOwner<Record<string, Buffer>>(
      `select ${columns} from notification_channels where integration_id = $1`,
      [integration.integrationId],
    );
  const before = await stored();
  assert.doesNotMatch(before[0]!['sealed_url']!.toString('latin1'), /example/);
  const change = await call(integration, 'PUT', `notification-rules/${made.ruleId}`, {
    ...ruleBody({ name: 'Other' }),
    channels: [{ channelId: channel.channelId, type: 'webhook' }],
  });
  assert.equal(change.status, 200, await change.clone().text());
  assert.equal(((await change.json()) as NotificationRule).channels[0]?.signingSecret, null);
  assert.deepEqual(await stored(), before);
});

test('a rule that cannot work is refused, naming the field', async () => {
  const integration = await program.createIntegration();
  const wrong: [Partial<RuleBody>, string][] = [
    [{ channels: [{ type: 'slack' }] }, 'channels.0.url'],
    [{ channels: [{ type: 'slack', url: 'http://hooks.example.com/' }] }, 'channels.0.url'],
    [{ channels: [{ type: 'webhook', url: 'https://127.0.0.1/' }] }, 'channels.0.url'],
    [{ channels: [{ type: 'email' }] }, 'channels.0.to'],
    [{ channels: [{ type: 'email', to: ['nobody'] }] }, 'channels.0.to.0'],
    [{ channels: [{ type: 'slack', channelId: integration.integrationId }] }, 'channels.0.channelId'],
    [{ conclusions: [] }, 'conclusions'],
  ];
  for (const [fields, field] of wrong) {
    const answer = await call(integration, 'POST', 'notification-rules', ruleBody(fields));
    const problem = (await answer.json()) as { errors: { field: string }[] };
    assert.equal(answer.status, 400, field);
    assert.equal(problem.errors[0]?.field, field);
  }
  assert.deepEqual(await items(integration, 'notification-rules'), []);
});

test('a test send sends one real message and answers what came of it', async () => {
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
});

test('a viewer reads rules, incidents and history, and changes nothing', async () => {
  const integration = await program.createIntegration();
  const { ruleId } = await addRule(integration, {});
  await program.database.asOwner(`update memberships set role = 'viewer' where integration_id = $1`, [
    integration.integrationId,
  ]);
  const rule = `notification-rules/${ruleId}`;
  for (const path of ['notification-rules', 'incidents', `${rule}/deliveries`])
    assert.equal((await call(integration, 'GET', path)).status, 200, path);
  const changes: [string, string, unknown?][] = [
    ['POST', 'notification-rules', ruleBody()],
    ['POST', 'notification-rules/back-test', ruleBody()],
    ['POST', `${rule}/test`],
    ['PUT', rule, ruleBody()],
    ['DELETE', rule],
  ];
  for (const [method, path, body] of changes)
    assert.equal((await call(integration, method, path, body)).status, 403, `${method} ${path}`);
});

test('a back-test answers what a rule would have done, stored or not', async () => {
  const integration = await program.createIntegration();
  await post(integration, 'workflow_run', endOfRun(400, 'failure', 10));
  await post(integration, 'workflow_run', endOfRun(401, 'success', 70));
  await waitUntil('the runs', async () => (await items(integration, 'workflows')).length === 2);
  const answer = await call(integration, 'POST', 'notification-rules/back-test', ruleBody());
  assert.equal(answer.status, 200, await answer.clone().text());
  const { fired, recovered, samples } = (await answer.json()) as {
    fired: number;
    recovered: number;
    samples: { redMs: number }[];
  };
  assert.deepEqual([fired, recovered, samples[0]?.redMs], [1, 1, 60_000]);
});

test('a deleted rule says nothing more, and is gone with its history', async () => {
  const integration = await program.createIntegration();
  const { ruleId } = await addRule(integration, {});
  assert.equal((await call(integration, 'DELETE', `notification-rules/${ruleId}`)).status, 204);
  assert.equal((await call(integration, 'DELETE', `notification-rules/${ruleId}`)).status, 404);
  assert.equal((await call(integration, 'GET', `notification-rules/${ruleId}/deliveries`)).status, 404);
  assert.deepEqual(
    await program.database.asOwner('select from alert_interest where group_id = $1', [
      integration.integrationId,
    ]),
    [],
  );
});
