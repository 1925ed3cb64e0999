import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { makeSealer } from '#platform/runtime/sealing.ts';
import { ruleBody } from '#test/support/rule-body.ts';
import { createTestDatabase, testMasterKey } from '#test/support/test-database.ts';
import { waitUntil } from '#test/support/wait-until.ts';
import { alertPolicy, type AlertPolicy } from './policy.ts';
import { createRule, removeRule } from './save-rule.ts';
import { makeOutcomeWatch, type OutcomeWatch, type StoredObject } from './watch-outcomes.ts';

const database = await createTestDatabase();
const log = pino({ level: 'silent' });
const actorId = randomUUID();

async function start(t: TestContext, policy: Partial<AlertPolicy> = {}): Promise<OutcomeWatch> {
  const listener = makeListener(database.worker.connection, log);
  const watch = makeOutcomeWatch({
    db: database.worker,
    listener,
    log,
    clock: Date.now,
    policy: { ...alertPolicy, sweepEveryMs: 600_000, ...policy },
  });
  t.after(async () => {
    await watch.stop();
    await listener.stop();
  });
  await listener.start();
  await watch.start();
  return watch;
}

async function makeIntegration(): Promise<string> {
  const integrationId = randomUUID();
  await database.asOwner(
    `insert into integrations (integration_id, label, webhook_secret) values ($1, 'Test', '')`,
    [integrationId],
  );
  return integrationId;
}

async function addRule(integrationId: string): Promise<string> {
  const deps = { db: database.api, sealer: makeSealer([testMasterKey]), refusal: () => undefined };
  return (await createRule(deps, { integrationId, actorId }, ruleBody())).ruleId;
}

interface RunFields {
  status: string;
  conclusion: string | null;
  repository?: string;
}

async function insertRun(integrationId: string, runId: number, fields: RunFields): Promise<void> {
  const { status, conclusion, repository = 'acme/site' } = fields;
  await database.asOwner(
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, conclusion, completed_at,
       on_default_branch, workflow_name, head_branch, created_at, pull_requests)
     values ($1, $2, 1, '', $3, $4, $5, now(), true, 'CI', 'main', now(), '{}')`,
    [integrationId, runId, repository, status, conclusion],
  );
}

function note(watch: OutcomeWatch, integrationId: string, stored: StoredObject[]): Promise<void> {
  return database.worker.withScope({ integrationIds: [integrationId] }, async (tx) => watch.note(tx, stored));
}

/** Stores the run and notes it, as the worker does. */
async function store(
  watch: OutcomeWatch,
  integrationId: string,
  runId: number,
  conclusion: string,
  repository = 'acme/site',
): Promise<StoredObject[]> {
  await insertRun(integrationId, runId, { status: 'completed', conclusion, repository });
  const stored: StoredObject[] = [{ integrationId, runId, attempt: 1, status: 'completed', conclusion }];
  await note(watch, integrationId, stored);
  return stored;
}

/** Stores and notes the end of a job. */
async function storeJob(
  watch: OutcomeWatch,
  integrationId: string,
  runId: number,
  conclusion: string,
  name = 'build',
): Promise<void> {
  const jobId = name === 'build' ? 8 : 9;
  await database.asOwner(
    `insert into workflow_jobs (integration_id, run_id, attempt, job_id, version, repository, name, status, conclusion,
       completed_at, on_default_branch, workflow_name, head_branch, labels, steps)
     values ($1, $2, 1, $4, '', 'acme/site', $5, 'completed', $3, now(), true, 'CI', 'main', '{}', '[]')`,
    [integrationId, runId, conclusion, jobId, name],
  );
  await note(watch, integrationId, [
    { integrationId, runId, attempt: 1, jobId, status: 'completed', conclusion },
  ]);
}

/** Incidents of the repository are refused, and not before the gate is opened. */
async function holdBack(t: TestContext, repository: string) {
  await database.asOwner(
    `create function refuse_late() returns trigger language plpgsql as $$
     begin
       perform pg_advisory_xact_lock(4711);
       raise exception 'refused';
     end $$;
     create trigger refuse_late before insert on incidents for each row when (new.repository = '${repository}')
       execute function refuse_late()`,
  );
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(() => client.end());
  await client.query('select pg_advisory_lock(4711)');
  return {
    isReached: async () =>
      (
        await client.query(
          `select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted
           and database = (select oid from pg_database where datname = current_database())`,
        )
      ).rowCount === 1,
    open: () => client.end(),
  };
}

const candidates = (integrationId: string) =>
  database.asOwner('select from alert_candidates where group_id = $1', [integrationId]);
const incidents = (integrationId: string) =>
  database.asOwner<{ failed_runs: number }>('select failed_runs from incidents where integration_id = $1', [
    integrationId,
  ]);

const closedBy = async (integrationId: string): Promise<(string | null)[]> => {
  const rows = await database.asOwner<{ by: string | null }>(
    'select closed_by_run_id as by from incidents where integration_id = $1 order by opened_at',
    [integrationId],
  );
  return rows.map(({ by }) => by);
};

/** Until the watch has heard of the rule: it notes nothing before. */
async function heardOf(watch: OutcomeWatch, integrationId: string): Promise<void> {
  let runId = 900;
  await waitUntil('the rule is known', async () => {
    await store(watch, integrationId, (runId += 1), 'success');
    return (await candidates(integrationId)).length > 0;
  });
  await database.asOwner('delete from alert_candidates where group_id = $1', [integrationId]);
}

test('what a process noted before it died is found by the next', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const first = await start(t);
  await store(first, integrationId, 1, 'failure');
  assert.equal((await incidents(integrationId)).length, 0);
  await start(t);
  await waitUntil('the incident', async () => (await incidents(integrationId)).length === 1);
  assert.equal((await candidates(integrationId)).length, 0);
});

test('several processes at once count each failure once', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const watches = await Promise.all([start(t), start(t), start(t)]);
  for (let runId = 1; runId <= 10; runId += 1) {
    const stored = await store(watches[0]!, integrationId, runId, 'failure');
    for (const watch of watches) watch.wake(stored);
  }
  await waitUntil('all counted', async () => (await incidents(integrationId))[0]?.failed_runs === 10);
  assert.equal((await incidents(integrationId)).length, 1);
});

test('a rule counts from the moment it is made, and nothing is noted after the last is gone', async (t) => {
  const watch = await start(t);
  const integrationId = await makeIntegration();
  await store(watch, integrationId, 1, 'failure');
  assert.equal((await candidates(integrationId)).length, 0);
  const ruleId = await addRule(integrationId);
  await heardOf(watch, integrationId);
  await removeRule(database.api, { integrationId, actorId }, ruleId);
  let runId = 2000;
  await waitUntil('nothing noted', async () => {
    const before = (await candidates(integrationId)).length;
    await store(watch, integrationId, (runId += 1), 'failure');
    return (await candidates(integrationId)).length === before;
  });
});

test('what can never be evaluated does not hold up those behind it', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const watch = await start(t);
  // An incident that no failure can be added to: the constraint stands for any fault of one candidate.
  await database.asOwner(`alter table incidents add constraint refuses check (repository <> 'acme/fault')`);
  await store(watch, integrationId, 1, 'failure', 'acme/fault');
  const stored = await store(watch, integrationId, 2, 'failure');
  watch.wake(stored);
  await waitUntil('the one behind it', async () => (await incidents(integrationId)).length === 1);
  await waitUntil('none left', async () => (await candidates(integrationId)).length === 0);
});

test('what becomes due while another cannot be evaluated is not dropped in its place', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const watch = await start(t, { evaluateAtOnce: 1 });
  await storeJob(watch, integrationId, 7, 'failure');
  const gate = await holdBack(t, 'acme/late');
  const stored = await store(watch, integrationId, 1, 'failure', 'acme/late');
  watch.wake(stored);
  await waitUntil('the fault to come', gate.isReached);
  // With its run the job, noted before the other, is due.
  await insertRun(integrationId, 7, { status: 'in_progress', conclusion: null });
  await gate.open();
  await waitUntil('none left', async () => (await candidates(integrationId)).length === 0);
  assert.equal((await incidents(integrationId)).length, 1);
});

test('a job whose run never comes is held against the rules after a while', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const watch = await start(t, { sweepEveryMs: 20 });
  await storeJob(watch, integrationId, 7, 'failure');
  // Told together: the run goes, the job stays behind.
  watch.wake(await store(watch, integrationId, 1, 'failure'));
  await waitUntil('the run', async () => (await incidents(integrationId))[0]?.failed_runs === 1);
  assert.equal((await candidates(integrationId)).length, 1);
  await database.asOwner(`update alert_candidates set noted_at = now() - interval '1 minute'`);
  await waitUntil('the job', async () => (await candidates(integrationId)).length === 0);
  const [incident] = await database.asOwner<{ failed_jobs: number }>(
    'select failed_jobs from incidents where integration_id = $1',
    [integrationId],
  );
  assert.equal(incident?.failed_jobs, 1);
});

test('a job that passes and is told of before its run leaves the end to the run', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const watch = await start(t);
  const begun = { status: 'in_progress', conclusion: null };
  await insertRun(integrationId, 5, begun);
  await storeJob(watch, integrationId, 5, 'failure');
  await storeJob(watch, integrationId, 6, 'success');
  await insertRun(integrationId, 6, begun);
  assert.equal((await candidates(integrationId)).length, 2);
  watch.wake([{ integrationId, runId: 5, attempt: 1, jobId: 8, status: 'completed', conclusion: 'failure' }]);
  await waitUntil('both', async () => (await candidates(integrationId)).length === 0);
  assert.deepEqual(await closedBy(integrationId), [null]);
});

test('a job that passes ends what it began when its run is not known', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const watch = await start(t, { sweepEveryMs: 20, awaitRunMs: 0 });
  await storeJob(watch, integrationId, 5, 'failure');
  await waitUntil('the incident', async () => (await closedBy(integrationId)).length === 1);
  await insertRun(integrationId, 6, { status: 'in_progress', conclusion: null });
  await storeJob(watch, integrationId, 6, 'success');
  assert.equal((await candidates(integrationId)).length, 0);
  await storeJob(watch, integrationId, 7, 'success');
  await waitUntil('the end', async () => (await closedBy(integrationId))[0] === '7');
  // Told of late.
  await storeJob(watch, integrationId, 4, 'failure');
  await storeJob(watch, integrationId, 8, 'failure');
  await waitUntil('the next incident', async () => (await closedBy(integrationId)).length === 2);
  await storeJob(watch, integrationId, 9, 'success');
  await waitUntil('its end', async () => (await closedBy(integrationId))[1] === '9');
  assert.equal((await closedBy(integrationId)).length, 2);
});

test('jobs that pass one after the other end together what they began together', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const watch = await start(t, { sweepEveryMs: 20, awaitRunMs: 0 });
  const stored = async (runId: number, conclusion: string, name: string): Promise<void> => {
    await storeJob(watch, integrationId, runId, conclusion, name);
    await waitUntil(`${name} in ${runId}`, async () => (await candidates(integrationId)).length === 0);
  };
  await stored(5, 'failure', 'build');
  await stored(5, 'failure', 'test');
  await stored(6, 'success', 'build');
  assert.deepEqual(await closedBy(integrationId), [null]);
  await stored(6, 'success', 'test');
  assert.deepEqual(await closedBy(integrationId), ['6']);
});

test('history that is filled in late alarms nobody', async (t) => {
  const integrationId = await makeIntegration();
  await addRule(integrationId);
  const watch = await start(t, { newsMs: 0 });
  const stored = await store(watch, integrationId, 1, 'failure');
  watch.wake(stored);
  await waitUntil('it was looked at', async () => (await candidates(integrationId)).length === 0);
  assert.equal((await incidents(integrationId)).length, 0);
});
