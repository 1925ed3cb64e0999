import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotificationRule } from '#contract/alerts/alerts.ts';
import type { Incident, Notification } from '#contract/alerts/incidents.ts';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { endOfJob, endOfRun, seconds, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { pendingEvaluations } from '#test/support/alerts/pending-evaluations.ts';
import { lockStreams } from '#server/realtime/outbox/append-updates.ts';

const { program, call, items, addRule, post, mailsTo } = await startAlertProgram();

/** All items of a list, one a page. */
async function inPagesOfOne<T>(integration: CreatedIntegration, path: string): Promise<T[]> {
  const answer = await call(integration, 'GET', `${path}?limit=1`);
  const found: T[] = [];
  for (let page = (await answer.json()) as Page<T>; ;) {
    assert.equal(page.items.length, 1);
    found.push(...page.items);
    if (page.nextCursor === null) return found;
    const next = await call(integration, 'GET', `${path}?limit=1&cursor=${page.nextCursor}`);
    page = (await next.json()) as Page<T>;
  }
}

interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

test('a matrix of 60 failing jobs opens one incident and sends one mail; the next success closes it', async () => {
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
  assert.match(mailsTo('matrix@example.com')[0]!.source, /[0-9]+ failed jobs/);

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
    sent.map(({ kind, target }) => [kind, target]),
    [
      ['recovered', 'matrix@example.com'],
      ['opened', 'matrix@example.com'],
    ],
  );
  assert.deepEqual(
    await inPagesOfOne<Notification>(integration, `notification-rules/${rule.ruleId}/deliveries`),
    sent,
  );
  assert.equal((await call(integration, 'POST', `notification-rules/${rule.ruleId}/test`)).status, 200);
  const [read] = await items<NotificationRule>(integration, 'notification-rules');
  assert.deepEqual([read?.firedIn30Days, read?.lastSentAt], [1, sent[0]?.sentAt]);
  const log = await items<{ type: string; title: string }>(integration, 'event-log');
  assert.deepEqual(log.map(({ type }) => type).sort(), [
    'alert.sent',
    'alert.sent',
    'incident.closed',
    'incident.opened',
    ...log.filter(({ type }) => type.startsWith('integration.')).map(({ type }) => type),
    'rule.created',
    'rule.tested',
    'run.failed',
  ]);
});

test('a rule notifies about a failed run without jobs', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { channels: [{ type: 'email', to: ['start@example.com'] }] });
  await post(integration, 'workflow_run', endOfRun(300, 'startup_failure', 10));
  await waitUntil('the mail', () => mailsTo('start@example.com').length === 1);
  assert.match(mailsTo('start@example.com')[0]!.source, /Fix &lt;b&gt;everything/);
});

test('a run that could not start and is named after its file belongs to its workflow', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, {});
  const [known, unknown] = ['.github/workflows/known.yml', '.github/workflows/unknown.yml'];
  const end = (id: number, name: string, path: string, conclusion: string) =>
    post(integration, 'workflow_run', endOfRun(id, conclusion, id, { name, path }));
  const found = (count: number) =>
    waitUntil(`${count} failures`, async () => {
      const all = await items<Incident>(integration, 'incidents');
      return all.reduce((sum, { failedRuns }) => sum + failedRuns, 0) === count && all;
    });
  await end(400, 'Known', known, 'success');
  await end(401, 'Known', known, 'failure');
  await end(402, known, known, 'failure');
  await end(403, unknown, unknown, 'startup_failure');
  const open = await found(3);
  assert.deepEqual(open.map(({ workflow }) => workflow).sort(), [unknown, 'Known']);
  await end(404, 'Known', known, 'success');
  await end(405, 'Unknown', unknown, 'success');
  await waitUntil('both ends', async () =>
    (await items<Incident>(integration, 'incidents')).every(({ status }) => status === 'closed'),
  );
  const tried = await call(integration, 'POST', 'notification-rules/back-test', ruleBody());
  const { fired, matches, recovered } = (await tried.json()) as BackTestAnswer;
  assert.deepEqual([fired, matches, recovered], [2, 3, 2]);
});

test('the main branch of a fork has its own incident', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, {});
  const fork = { head_repository: { full_name: 'ann/site' } };
  await post(integration, 'workflow_run', endOfRun(500, 'failure', 10, fork));
  const own = { head_repository: { full_name: 'acme/site' } };
  await post(integration, 'workflow_run', endOfRun(501, 'failure', 20, own));
  await post(integration, 'workflow_run', endOfRun(502, 'success', 30, own));
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
  const branches = (await inPagesOfOne<Incident>(integration, 'incidents')).map(({ branch }) => branch);
  assert.deepEqual(branches, ['main', 'ann:main']);
  assert.deepEqual(await items(integration, 'incidents?status=closed&repository=acme/site'), [found[0]]);
  assert.deepEqual(await items(integration, 'incidents?repository=acme/other'), []);
  assert.equal((await items(integration, `incidents?workflow=${found[0]?.workflow}`)).length, 2);
  assert.deepEqual(await items(integration, 'incidents?workflow=Other'), []);
});

test('a job of a fork that arrives before its run is counted with the run and notified once', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { channels: [{ type: 'email', to: ['fork@example.com'] }] });
  const fork = { head_repository: { full_name: 'bob/site' } };
  await post(integration, 'workflow_job', endOfJob(510, 1, 'failure', 10));
  // Evaluated with the run of another branch, the job would open an incident of ours.
  await post(integration, 'workflow_run', endOfRun(509, 'failure', 11, { head_branch: 'topic' }));
  await waitUntil('the other incident', async () => (await items(integration, 'incidents')).length > 0);
  await post(integration, 'workflow_run', endOfRun(510, 'failure', 12, fork));
  const found = await waitUntil('both incidents', async () => {
    const all = await items<Incident>(integration, 'incidents');
    return all.reduce((sum, { failedRuns, failedJobs }) => sum + failedRuns + failedJobs, 0) === 3 && all;
  });
  assert.deepEqual(
    found.map(({ branch, failedRuns, failedJobs }) => [branch, failedRuns, failedJobs]).sort(),
    [
      ['bob:main', 1, 1],
      ['topic', 1, 0],
    ],
  );
  await waitUntil('both mails', () => mailsTo('fork@example.com').length === 2);
});

test('an attempt is evaluated when the next one starts in the same batch', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, {});
  const begun = { status: 'in_progress', conclusion: null };
  // While somebody else holds the integration's counter, events wait for each other and go on together.
  await program.database.worker.withScope({ integrationId: integration.integrationId }, async (tx) => {
    await lockStreams(tx, [integration.integrationId]);
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

test('an integration without rules stores no pending evaluations of branches that are no default branch', async () => {
  const integration = await program.createIntegration();
  await post(integration, 'workflow_run', endOfRun(300, 'failure', 10, { head_branch: 'feature' }));
  await waitUntil('the run', async () => (await items(integration, 'workflows')).length === 1);
  assert.deepEqual(await items(integration, 'incidents'), []);
  assert.equal(await pendingEvaluations(program.database, integration.integrationId), 0);
});
