import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureReason } from '#contract/failures/failure-reason.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { readGroups } from '#server/failures/groups/read-groups.ts';
import { insertPending } from '#server/failures/storing/pending-store.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { readRows } from '#test/support/database/rows.ts';
import { parsedEvent } from '#test/support/data/forge-events.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { storeRead, type ReadReason } from './store-read.ts';

const database = await createTestDatabase();
const deps = { db: database.worker, sealer: makeSealer([testMasterKey]), publish: () => {} };

/** Postgres refuses the number: no job has such a step. */
const impossibleStep = 2 ** 40;

const logOf = (errorLine: string, step = 2): FailureReason => ({
  step: { number: step, name: 'Run tests' },
  errorLine,
  subject: null,
  otherSubjects: [],
  excerpts: [],
  infrastructure: null,
  missing: null,
});

/** Stores a failed job for each log, as the worker does, and returns what was read of it. */
async function failJobs(integrationId: string, logs: FailureReason[], tries: number): Promise<ReadReason[]> {
  const read = logs.map((log, index) => {
    const runId = index + 1;
    return {
      runId,
      attempt: 1,
      jobId: runId,
      repository: 'acme/site',
      steps: [],
      tries,
      isCancelled: false,
      log,
    };
  });
  const events = read.flatMap(({ runId }) => {
    const { run, job } = failedJob({ id: runId });
    return [
      parsedEvent({ integrationId, eventType: 'workflow_run', payload: run }),
      parsedEvent({ integrationId, eventType: 'workflow_job', payload: job }),
    ];
  });
  await database.worker.withScope({ integrationId }, async (tx) => {
    await recordEvents(tx, events);
    await insertPending(
      tx,
      read.map((failure) => ({ ...failure, integrationId })),
    );
  });
  return read;
}

const errorLinesOf = async (integrationId: string): Promise<string[]> => {
  const { items } = await database.api.withScope({ integrationId }, (tx) =>
    readGroups(tx, integrationId, {}),
  );
  return items.map(({ errorLine }) => errorLine).sort();
};

const pendingOf = async (integrationId: string) =>
  (await readRows(database, 'pending_failures', { group_id: integrationId })).map(
    ({ run_id: id, tries }) => ({
      run: Number(id),
      tries,
    }),
  );

test('a reason that cannot be stored is tried again later, and the others are stored', async () => {
  const integrationId = await insertIntegration(database);
  const logs = [logOf('one broke'), logOf('two broke', impossibleStep), logOf('three broke')];
  const read = await failJobs(integrationId, logs, 0);
  await assert.rejects(storeRead(deps, integrationId, read));
  assert.deepEqual(await errorLinesOf(integrationId), ['one broke', 'three broke']);
  assert.deepEqual(await pendingOf(integrationId), [{ run: 2, tries: 1 }]);
});

test('a reason that could not be stored at the last try comes from the steps', async () => {
  const integrationId = await insertIntegration(database);
  const read = await failJobs(integrationId, [logOf('one broke', impossibleStep), logOf('two broke')], 4);
  assert.equal(await storeRead(deps, integrationId, read), 1);
  assert.deepEqual(await errorLinesOf(integrationId), ['Step Run tests failed', 'two broke']);
  assert.deepEqual(await pendingOf(integrationId), []);
});
