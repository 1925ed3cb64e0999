import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { endOfRun, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { jobPayload } from '#test/support/data/forge-events.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, call, addRule, post, mailsTo, ...alerts } = await startAlertProgram();

/** All tests ask as one person, who may ask ten times a second on average. */
async function items<T>(integration: CreatedIntegration, path: string): Promise<T[]> {
  await delay(500);
  return alerts.items<T>(integration, path);
}

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

function runAt(id: number, minutes: number, took = 1) {
  const times = { created_at: ago(minutes), run_started_at: ago(minutes), updated_at: ago(minutes - took) };
  return endOfRun(id, 'success', 0, times);
}

function openIncident(integration: CreatedIntegration): Promise<Incident> {
  return waitUntil(
    'an open incident',
    async () => (await items<Incident>(integration, 'incidents?status=open'))[0],
  );
}

async function backTest(integration: CreatedIntegration, fields: object): Promise<BackTestAnswer> {
  const answer = await call(integration, 'POST', 'notification-rules/back-test', ruleBody(fields));
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as BackTestAnswer;
}

/** Rules are evaluated once a minute; a change of a rule evaluates them at once. */
async function evaluateAgain(integration: CreatedIntegration): Promise<void> {
  await addRule(integration, { name: 'Other', enabled: false });
}

// The rules are claimed every five seconds. The tests wait for it at the same time.
describe('rules about what did not happen', { concurrency: true }, () => {
  test('a workflow that does not run opens an incident, which the next run closes', async () => {
    const integration = await program.createIntegration();
    await post(integration, 'workflow_run', runAt(100, 40 * 60));
    await post(integration, 'workflow_run', runAt(101, 8 * 60));
    const rule = { watch: 'did_not_run', everyHours: 6 } as const;
    const tried = await waitUntil('the stored runs', async () => {
      const answer = await backTest(integration, rule);
      return answer.fired === 2 && answer;
    });
    assert.deepEqual(
      tried.samples.map(({ failure, recoveredAt }) => [failure.runId, recoveredAt === null]),
      [
        [101, true],
        [100, false],
      ],
    );
    await addRule(integration, { ...rule, channels: [{ type: 'email', to: ['missing@example.com'] }] });
    const open = await openIncident(integration);
    assert.deepEqual([open.kind, open.workflow, open.lastFailure.runId], ['did_not_run', 'CI', 101]);
    assert.equal(open.lastFailure.name, 'Did not run for 6 h');
    await waitUntil('the mail', () => mailsTo('missing@example.com').length === 1);
    assert.match(mailsTo('missing@example.com')[0]!.source, /CI in acme\/site: Did not run for 6 h/);
    await post(integration, 'workflow_run', runAt(102, 1));
    await evaluateAgain(integration);
    const closed = await waitUntil(
      'the end',
      async () => (await items<Incident>(integration, 'incidents?status=closed'))[0],
    );
    assert.equal(closed.incidentId, open.incidentId);
    await waitUntil('the recovery', () => mailsTo('missing@example.com').length === 2);
  });

  test('an incident of this kind that a person closed stays closed while its cause lasts', async () => {
    const integration = await program.createIntegration();
    await post(integration, 'workflow_run', runAt(101, 8 * 60));
    await addRule(integration, { watch: 'did_not_run', everyHours: 6 });
    const open = await openIncident(integration);
    const path = `incidents/${open.incidentId}`;
    assert.equal((await call(integration, 'PATCH', path, { version: 1, status: 'closed' })).status, 200);
    // The incident of another rule shows that the rules were evaluated since.
    await post(integration, 'workflow_run', {
      ...runAt(201, 8 * 60),
      repository: { id: 8, full_name: 'acme/other' },
    });
    await evaluateAgain(integration);
    await waitUntil('the other incident', async () =>
      (await items<Incident>(integration, 'incidents?status=open')).some(
        ({ repository }) => repository === 'acme/other',
      ),
    );
    assert.equal((await items<Incident>(integration, 'incidents?status=open')).length, 1);
  });

  test('jobs that wait for a label open one incident', async () => {
    const integration = await program.createIntegration();
    const job = (id: number, more: object) =>
      jobPayload({
        id,
        run_id: 100,
        name: `gpu ${id}`,
        workflow_name: 'CI',
        labels: ['gpu'],
        created_at: ago(20),
        ...more,
      });
    await post(integration, 'workflow_job', job(1, {}));
    await post(integration, 'workflow_job', job(2, {}));
    await addRule(integration, { watch: 'queued_too_long', queueMinutes: 10, labels: ['GPU'] });
    const open = await openIncident(integration);
    assert.deepEqual([open.kind, open.subject], ['queued_too_long', 'GPU']);
    assert.equal((await items<Incident>(integration, 'incidents')).length, 1);
    for (const id of [1, 2])
      await post(
        integration,
        'workflow_job',
        job(id, { status: 'in_progress', started_at: ago(0), runner_name: 'one' }),
      );
    await evaluateAgain(integration);
    await waitUntil(
      'the end',
      async () => (await items<Incident>(integration, 'incidents?status=closed')).length === 1,
    );
    const tried = await backTest(integration, { watch: 'queued_too_long', queueMinutes: 10 });
    assert.deepEqual(
      [tried.incidents, tried.samples[0]?.failure.name],
      [1, 'Jobs with gpu wait for over 10 min'],
    );
  });

  test('a queued job without a completion waits until the end of its run', async () => {
    const integration = await program.createIntegration();
    const job = { run_id: 100, name: 'lost', workflow_name: 'CI', labels: ['gpu'], created_at: ago(20) };
    await post(integration, 'workflow_job', jobPayload(job));
    const times = { created_at: ago(20), run_started_at: ago(20), updated_at: ago(15) };
    await post(integration, 'workflow_run', endOfRun(100, 'cancelled', 0, times));
    await post(integration, 'workflow_run', runAt(101, 10));
    await waitUntil('the stored runs', async () => (await items(integration, 'workflows')).length === 2);
    const tenMinutes = await backTest(integration, { watch: 'queued_too_long', queueMinutes: 10 });
    assert.equal(tenMinutes.incidents, 0);
    const fourMinutes = await backTest(integration, { watch: 'queued_too_long', queueMinutes: 4 });
    assert.deepEqual(
      fourMinutes.samples.map(({ recoveredAt }) => recoveredAt !== null),
      [true],
    );
  });

  test('a workflow whose last runs are slower opens an incident', async () => {
    const integration = await program.createIntegration();
    for (let id = 1; id <= 12; id++) await post(integration, 'workflow_run', runAt(id, 600 - id * 10, 1));
    for (let id = 13; id <= 15; id++) await post(integration, 'workflow_run', runAt(id, 600 - id * 10, 5));
    const rule = { watch: 'got_slower', slowerPercent: 100, slowerRuns: 3 } as const;
    await waitUntil('the stored runs', async () => (await backTest(integration, rule)).fired === 1);
    await addRule(integration, rule);
    const open = await openIncident(integration);
    assert.equal(open.lastFailure.name, 'Takes 5 min instead of 1 min');
  });
});
