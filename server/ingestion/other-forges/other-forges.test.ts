import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Metrics } from '#contract/metrics/metrics.ts';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { forgejoRun, repository, startBesideOtherForges } from '#test/support/forge/other-forges.ts';
import { readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';

const { baseUrl, publicUrl, browser, database, createIntegration, deliver, runOf } =
  await startBesideOtherForges();

test('a run of Gitea, without a time of its last change, ends completed whichever way it arrives', async () => {
  const integration = await createIntegration();
  const run = (status: string, conclusion: string) => ({
    action: status,
    repository,
    workflow: { id: 'test.yml', name: 'Test', path: '.gitea/workflows/test.yml' },
    workflow_run: {
      id: 601,
      run_attempt: 0,
      run_number: 3,
      path: 'test.yml@refs/heads/main',
      event: 'push',
      status,
      conclusion,
      display_title: 'On Gitea',
      head_branch: 'main',
      head_sha: 'a'.repeat(40),
      started_at: '2026-11-20T10:00:10Z',
      completed_at: status === 'completed' ? '2026-11-20T10:02:10Z' : '1970-01-01T00:00:00Z',
    },
  });
  for (const [status, conclusion] of [
    ['completed', 'failure'],
    ['requested', ''],
    ['in_progress', ''],
  ] as const)
    assert.equal((await deliver(integration, 'gitea', 'workflow_run', run(status, conclusion))).status, 200);
  const stored = await runOf(integration.integrationId, 601);
  assert.deepEqual([stored.status, stored.conclusion, stored.title], ['completed', 'failure', 'On Gitea']);
});

test("the start of 1970, Gitea's word for no time, is none: of a queued run, and of a job cancelled before it began", async () => {
  const integration = await createIntegration();
  const none = '1970-01-01T00:00:00Z';
  const fields = {
    status: 'queued',
    conclusion: '',
    head_branch: 'main',
    started_at: none,
    completed_at: none,
  };
  const run = { action: 'requested', repository, workflow_run: { id: 701, created_at: none, ...fields } };
  const job = { ...fields, id: 702, run_id: 701, status: 'completed', conclusion: 'cancelled' };
  const ended = { ...job, created_at: '2026-11-20T10:00:00Z', completed_at: '2026-11-20T10:00:05Z' };
  const steps = [{ number: 1, name: 'Check out', status: 'skipped', started_at: none, completed_at: none }];
  const workflowJob = { action: 'completed', repository, workflow_job: { ...ended, steps } };
  assert.equal((await deliver(integration, 'gitea', 'workflow_run', run)).status, 200);
  assert.equal((await deliver(integration, 'gitea', 'workflow_job', workflowJob)).status, 200);
  const url = `${publicUrl}/api/integrations/${integration.integrationId}`;
  const read = async <T>(path: string) => (await (await browser.fetch(`${url}/${path}`)).json()) as T;
  const stored = await waitUntil('the run and its job', async () => {
    const detail = await read<WorkflowRunDetail>('workflows/701');
    return detail.jobs?.length === 1 && detail;
  });
  assert.ok(Date.parse(stored.run.createdAt) > Date.parse('2026-01-01'), stored.run.createdAt);
  assert.equal(stored.run.startedAt, null);
  const [{ startedAt, steps: [step] } = assert.fail('no job')] = stored.jobs;
  assert.deepEqual([startedAt, step?.startedAt, step?.completedAt], [null, null, null]);
  const metrics = await read<Metrics>('metrics?from=2026-11-20T00:00:00Z&to=2026-11-20T23:00:00Z');
  assert.equal(metrics.total.billableMinutes, 0);
});

test('reviews of Gitea and Forgejo become reviews, each delivery one, repeated or not', async () => {
  const integration = await createIntegration();
  const payload = (content: string) => ({
    action: 'reviewed',
    number: 4,
    pull_request: { number: 4, head: { sha: 'b'.repeat(40) }, html_url: 'https://forge.example/pulls/4' },
    repository,
    sender: { login: 'rita' },
    review: { type: 'pull_request_review', content },
  });
  const repeated = randomUUID();
  await deliver(integration, 'gitea', 'pull_request_approved', payload('fine'), repeated);
  await deliver(integration, 'gitea', 'pull_request_approved', payload('fine'), repeated);
  await deliver(integration, 'forgejo', 'pull_request_rejected', payload('not yet'));
  await deliver(integration, 'gitea', 'pull_request_comment', payload('hm'));
  const rows = await waitUntil('three reviews', async () => {
    const found = await readRows(database, 'reviews', { integration_id: integration.integrationId });
    return found.length === 3 && found;
  });
  assert.deepEqual(rows.map(({ state, author, body }) => `${state} by ${author}: ${body}`).sort(), [
    'approved by rita: fine',
    'changes_requested by rita: not yet',
    'commented by rita: hm',
  ]);
});

test('an invalid event becomes a dead letter, and the next event is stored', async () => {
  const integration = await createIntegration();
  for (const payload of [{}, { run: null }, { run: { id: 'x', repository } }, []])
    assert.equal((await deliver(integration, 'forgejo', 'action_run_failure', payload)).status, 200);
  await deliver(integration, 'forgejo', 'action_run_success', { run: forgejoRun({ id: 777 }) });
  await runOf(integration.integrationId, 777);
  const answer = await browser.fetch(
    `${publicUrl}/api/integrations/${integration.integrationId}/dead-letters`,
  );
  const { items } = (await answer.json()) as { items: { reason: string }[] };
  assert.deepEqual(
    items.map(({ reason }) => reason),
    ['invalid_payload', 'invalid_payload', 'invalid_payload', 'invalid_payload'],
  );
});

test('a subscription counts for the adapted events too, and an unknown one names all that are known', async () => {
  const integration = await createIntegration();
  const path = `${publicUrl}/api/integrations/${integration.integrationId}/webhook-events`;
  const body = JSON.stringify({ events: ['workflow_job'] });
  const headers = { 'content-type': 'application/json' };
  assert.equal((await browser.fetch(path, { method: 'PUT', headers, body })).status, 200);
  await waitUntil('the subscription to hold', async () => {
    await deliver(integration, 'forgejo', 'action_run_success', { run: forgejoRun({ id: 888 }) });
    const text = await readMetrics(baseUrl);
    return /outcome="not_subscribed"\} [1-9]/.test(text);
  });
  const refused = await deliver(integration, 'forgejo', 'push', {});
  assert.equal(refused.status, 400);
  const { code, detail } = (await refused.json()) as { code: string; detail: string };
  assert.equal(code, 'unsupported_event');
  assert.match(detail, /workflow_run.*action_run_failure/);
});
