import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordEvents } from '#server/events/record-events.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { changeGroup } from '#server/failures/groups/change-group.ts';
import { readGroups } from '#server/failures/groups/read-groups.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { parsedEvent } from '#test/support/data/forge-events.ts';
import { makeGroupsSpecific } from '#test/support/database/specific-groups.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { forgetFailures } from './delete-old-failures.ts';
import { storeReasons } from './store-reasons.ts';
import { countRows } from '#test/support/database/rows.ts';

const database = await createTestDatabase();
const sealer = makeSealer([testMasterKey]);

async function storeFailure(integrationId: string, id: number, step: string): Promise<void> {
  const { run, job } = failedJob({ id, step });
  const events = [
    parsedEvent({ eventType: 'workflow_run', integrationId, payload: run }),
    parsedEvent({ eventType: 'workflow_job', integrationId, payload: job }),
  ];
  await database.worker.withScope({ integrationId }, async (tx) => {
    await recordEvents(tx, events);
    const failure = { runId: id, attempt: 1, jobId: id, log: 'no_connection' as const };
    await storeReasons(tx, sealer, integrationId, [failure, failure]);
  });
}

const groupsOf = async (integrationId: string) => {
  const { items } = await database.api.withScope({ integrationId }, (tx) =>
    readGroups(tx, integrationId, {}),
  );
  return items.map(({ groupId, step, failures }) => ({ groupId, step, failures }));
};

test('old reasons are deleted with their groups, marked groups stay, and those of others are untouched', async () => {
  const [ours, theirs] = [await insertIntegration(database), await insertIntegration(database)];
  await storeFailure(ours, 1, 'Lint');
  await storeFailure(ours, 2, 'Test');
  await storeFailure(theirs, 1, 'Lint');
  const [flaky] = (await groupsOf(ours)).filter(({ step }) => step === 'Test');
  assert.equal(flaky?.failures, 1, 'a repetition is not counted');
  const user = '00000000-0000-4000-8000-000000000009';
  await makeGroupsSpecific(database, ours);
  await changeGroup(
    database.api,
    { integrationId: ours, groupId: flaky.groupId, userId: user },
    { status: 'flaky' },
  );
  const in31Days = Date.now() + 31 * dayMs;
  const forget = (now: number) =>
    database.worker.withScope({ integrationId: ours }, (tx) => forgetFailures(tx, ours, now, 30));
  assert.equal(await forget(Date.now()), 0);
  assert.ok((await forget(in31Days)) > 0);
  assert.deepEqual(
    (await groupsOf(ours)).map(({ step }) => step),
    ['Test'],
  );
  assert.equal((await groupsOf(theirs)).length, 1);
  assert.equal(await countRows(database, 'failure_reasons', { integration_id: ours }), 0);
});
