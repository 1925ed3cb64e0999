import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { readGroups } from '#server/failures/groups/read-groups.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { parsedEvent } from '#test/support/data/forge-events.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { failureWaits, insertPending, takePending } from './pending-store.ts';
import { storeReasons } from './store-reasons.ts';

const database = await createTestDatabase();
const sealer = makeSealer([testMasterKey]);
/** Of the job of each run, as a forge sends them. */
const kinds = ['run queued', 'run begun', 'run ended', 'job begun', 'job ended'] as const;
type Kind = (typeof kinds)[number];

function eventOf(integrationId: string, runId: number, kind: Kind): MonitoringEvent {
  const { run, job } = failedJob({ id: runId });
  const status = kind.endsWith('queued') ? 'queued' : 'in_progress';
  const open = kind.endsWith('ended') ? {} : { status, conclusion: null };
  const [eventType, payload] = kind.startsWith('run')
    ? (['workflow_run', { ...run, workflow_run: { ...run.workflow_run, ...open } }] as const)
    : (['workflow_job', { ...job, workflow_job: { ...job.workflow_job, ...open } }] as const);
  return parsedEvent({ eventType, integrationId, payload });
}

/** The time that jobs wait for their run is over at once. */
const noWait = -1;

/** Stores the event as the worker does, then the reasons that are ready. Returns how many. */
async function arrive(integrationId: string, runId: number, kind: Kind, runMs: number): Promise<number> {
  return database.worker.withScope({ integrationId }, async (tx) => {
    await recordEvents(tx, [eventOf(integrationId, runId, kind)]);
    const failure = { integrationId, runId, attempt: 1, jobId: runId, repository: 'acme/site' };
    if (kind === 'job ended') await insertPending(tx, [{ ...failure, isCancelled: false }]);
    const taken = await takePending(tx, integrationId, 50, { ...failureWaits, runMs });
    await storeReasons(
      tx,
      sealer,
      integrationId,
      taken.map((each) => ({ ...each, log: 'no_connection' as const })),
    );
    return taken.length;
  });
}

const failuresOf = async (integrationId: string): Promise<number[]> => {
  const { items } = await database.api.withScope({ integrationId }, (tx) =>
    readGroups(tx, integrationId, {}),
  );
  return items.map(({ failures }) => failures);
};

test('equal failures form one group in every order of arrival of the events of their runs', async () => {
  const runIds = [1, 2, 3];
  const all = runIds.flatMap((runId) => kinds.map((kind) => ({ runId, kind })));
  const orders = fc.shuffledSubarray(all, { minLength: all.length });
  await fc.assert(
    fc.asyncProperty(orders, async (events) => {
      const integrationId = await insertIntegration(database);
      for (const { runId, kind } of events) await arrive(integrationId, runId, kind, hourMs);
      assert.deepEqual(await failuresOf(integrationId), [runIds.length]);
    }),
    { numRuns: 10 },
  );
});

test('a job whose run never arrives belongs to the group of its workflow, once a run of it is known', async () => {
  const integrationId = await insertIntegration(database);
  assert.equal(await arrive(integrationId, 1, 'job ended', hourMs), 0, 'it waits for its run');
  assert.equal(await arrive(integrationId, 1, 'run ended', hourMs), 1);
  assert.equal(await arrive(integrationId, 2, 'job ended', noWait), 1);
  assert.deepEqual(await failuresOf(integrationId), [2]);
});

test('jobs of an integration that receives no runs form one group by the name of their workflow', async () => {
  const integrationId = await insertIntegration(database);
  for (const runId of [1, 2]) assert.equal(await arrive(integrationId, runId, 'job ended', noWait), 1);
  assert.deepEqual(await failuresOf(integrationId), [2]);
});
