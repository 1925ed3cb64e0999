import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { hourMs } from '#platform/runtime/time-units.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { eventOf, integrationId, jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { incidentsOf, notificationsOf } from '#test/support/alerts/stored-alerts.ts';
import { ageRows, deleteRows, updateRows } from '#test/support/database/rows.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { evaluateRules } from './evaluate-rules.ts';
import { insertPendingEvaluations } from './completion-store.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { createRule } from '#server/alerts/rules/save-rule.ts';

/** As Forgejo reports: runs when they complete, and jobs without workflow and branch. */

const { database, record } = await createMonitoringStore();
await insertIntegration(database, integrationId);
const deps = { db: database.api, sealer: makeSealer([testMasterKey]), refusal: () => undefined };
const body = ruleBody({ channels: [{ type: 'email', to: ['ann@example.com'] }] });
await createRule(deps, { integrationId, actorId: integrationId }, body);

beforeEach(async () => {
  for (const table of ['incidents', 'branch_successes', 'job_successes', 'pending_evaluations'])
    await deleteRows(database, table);
});

const now = () => new Date().toISOString();

const endOfRun = (id: number, conclusion: string, more: object = {}) =>
  end(
    eventOf(
      'workflow_run',
      runPayload({
        id,
        status: 'completed',
        conclusion,
        name: 'test.yml',
        head_branch: 'main',
        created_at: now(),
        updated_at: now(),
        ...more,
      }),
    ),
  );
const endOfJob = (run_id: number, name: string, conclusion: string, more: object = {}) =>
  end(
    eventOf(
      'workflow_job',
      jobPayload({
        id: run_id * 10 + name.length,
        run_id,
        name,
        status: 'completed',
        conclusion,
        completed_at: now(),
        ...more,
      }),
    ),
  );

/** Stores and enqueues it, as the worker does. */
async function end(event: MonitoringEvent): Promise<void> {
  await record(event);
  const row = event.type === 'workflow_run' || event.type === 'workflow_job' ? event.row : undefined;
  assert.ok(row);
  const { runId, attempt, conclusion } = row;
  const jobId = 'jobId' in row ? row.jobId : null;
  await database.worker.withScope({ integrationId }, (tx) =>
    insertPendingEvaluations(tx, [
      {
        integrationId,
        runId,
        attempt,
        jobId,
        isGreen: conclusion === 'success',
        isOfDefaultBranch: false,
        deliverySeq: null,
        receivedAt: null,
      },
    ]),
  );
}

/** Longer than forges need that report runs when they start. */
async function evaluate(awaitRunMs = 0): Promise<void> {
  await database.worker.withScope({ integrationId }, (tx) =>
    evaluateRules(tx, integrationId, { ...alertPolicy, awaitRunMs }, Date.now(), 100),
  );
}

async function incidents(): Promise<string[]> {
  const found = await incidentsOf(database, integrationId);
  return found.map(({ workflow, branch, failedJobs, failedRuns, status }) =>
    [workflow ?? 'none', branch ?? 'none', failedJobs, failedRuns, status].join(' '),
  );
}

async function messages(): Promise<number> {
  const all = await notificationsOf(database, integrationId);
  return all.filter(({ kind }) => kind === 'opened').length;
}

test('a failed job is notified once, with its run, and the next run closes the incident', async () => {
  await endOfRun(1, 'success');
  await endOfJob(2, 'test', 'failure');
  await evaluate();
  assert.deepEqual(await incidents(), []);
  await endOfRun(2, 'failure');
  await evaluate();
  assert.deepEqual([await incidents(), await messages()], [['test.yml main 1 1 open'], 1]);
  await endOfJob(3, 'test', 'success');
  await endOfRun(3, 'success');
  await evaluate();
  assert.deepEqual(await incidents(), ['test.yml main 1 1 closed']);
});

test('a job whose run never arrives is notified by itself', async () => {
  await endOfRun(1, 'success');
  await endOfJob(2, 'test', 'failure');
  await evaluate();
  assert.deepEqual(await incidents(), []);
  await ageRows(database, 'pending_evaluations.noted_at', '6 hours');
  await evaluate();
  assert.deepEqual(await incidents(), ['none none 1 0 open']);
});

test('a run that arrives long after its failed job names the incident, and nobody is notified twice', async () => {
  await endOfJob(1, 'test', 'failure');
  await evaluate();
  assert.deepEqual([await incidents(), await messages()], [['none none 1 0 open'], 1]);
  await endOfRun(1, 'failure');
  await evaluate();
  assert.deepEqual([await incidents(), await messages()], [['test.yml main 1 1 open'], 1]);
  await endOfRun(2, 'success');
  await evaluate();
  assert.deepEqual(await incidents(), ['test.yml main 1 1 closed']);
});

test('a run that arrives late takes the failures of its jobs to the open incident of its workflow', async () => {
  await endOfJob(1, 'test', 'failure');
  await endOfJob(2, 'test', 'failure');
  await evaluate();
  assert.deepEqual(await incidents(), ['none none 2 0 open']);
  await endOfRun(3, 'failure');
  await evaluate();
  await endOfRun(1, 'failure');
  await evaluate();
  assert.deepEqual((await incidents()).toSorted(), ['none none 1 0 open', 'test.yml main 1 2 open']);
});

test('a run that arrives after a later success of its workflow closes what its job opened', async () => {
  await endOfJob(1, 'test', 'failure');
  await evaluate();
  await endOfRun(2, 'success');
  await evaluate();
  assert.deepEqual(await incidents(), ['none none 1 0 open']);
  await endOfRun(1, 'failure');
  await evaluate();
  await evaluate();
  assert.deepEqual(await incidents(), ['test.yml main 1 0 closed']);
});

const [one, two] = ['one.yml', 'two.yml'].map((file, index) => ({
  name: 'Same',
  workflow_id: 700 + index,
  path: `.github/workflows/${file}`,
}));
const ofSame = { workflow_name: 'Same', head_branch: 'main' };

test('a job whose workflow has the name of another one waits for its run, and the other one does not resolve it', async () => {
  await endOfRun(1, 'success', one);
  await endOfRun(2, 'success', two);
  await endOfJob(3, 'test', 'failure', ofSame);
  await endOfRun(4, 'success', one);
  await evaluate();
  assert.deepEqual(await incidents(), []);
  await endOfRun(3, 'failure', two);
  await evaluate();
  assert.deepEqual(await incidents(), ['Same (two.yml) main 1 1 open']);
});

test('a job whose workflow has the name of another one is counted there when its run is very late, until it arrives', async () => {
  await endOfRun(1, 'success', one);
  await endOfRun(2, 'success', two);
  await endOfJob(3, 'test', 'failure', ofSame);
  await ageRows(database, 'pending_evaluations.noted_at', '6 hours');
  await evaluate();
  assert.deepEqual(await incidents(), ['Same main 1 0 open']);
  await endOfRun(3, 'failure', two);
  await evaluate();
  assert.deepEqual(await incidents(), ['Same (two.yml) main 1 1 open']);
});

test('an incident from before the repository reported runs is closed by the same job', async () => {
  await endOfJob(1, 'test', 'failure');
  await evaluate();
  assert.deepEqual(await incidents(), ['none none 1 0 open']);
  await endOfJob(2, 'lint', 'success');
  await endOfRun(2, 'success');
  await evaluate();
  assert.deepEqual(await incidents(), ['none none 1 0 open']);
  await endOfRun(3, 'success');
  await endOfJob(3, 'test', 'success');
  await evaluate();
  assert.deepEqual(await incidents(), ['none none 1 0 closed']);
});

test('jobs open and close incidents when the repository reports no runs', async () => {
  await endOfJob(1, 'test', 'failure');
  await evaluate();
  assert.deepEqual(await incidents(), ['none none 1 0 open']);
  await endOfJob(2, 'test', 'success');
  await evaluate();
  assert.deepEqual(await incidents(), ['none none 1 0 closed']);
});

const named = { workflow_name: 'test.yml', head_branch: 'main' };
const ofFork = { head_repository: { id: 9, full_name: 'ann/site' } };

test('a job waits for its run longer by the time in which no process ran', async () => {
  await endOfJob(2, 'test', 'failure', named);
  // This process has not run for as long.
  await ageRows(database, 'pending_evaluations.noted_at', '5 hours');
  await evaluate(4 * hourMs);
  assert.deepEqual(await incidents(), []);
  await endOfRun(2, 'failure', ofFork);
  await evaluate(4 * hourMs);
  assert.deepEqual(await incidents(), ['test.yml ann:main 1 1 open']);
});

test('a job waits for its run while messages that were sent before wait in the queue', async () => {
  await database.asOwner('insert into queue_group (group_id, head_at) values ($1, now())', [integrationId]);
  await endOfJob(2, 'test', 'failure', named);
  await evaluate();
  assert.deepEqual(await incidents(), []);
  await updateRows(database, 'queue_group', { head_at: null }, { group_id: integrationId });
  await evaluate();
  assert.deepEqual(await incidents(), ['test.yml main 1 0 open']);
});
