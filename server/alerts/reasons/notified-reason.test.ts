import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureWaits, insertPending, takePending } from '#server/failures/storing/pending-store.ts';
import { insertReason } from '#server/failures/storing/reason-store.ts';
import { insertOfRuns } from '#server/conclusions/conclusion-store.ts';
import { setUpDispatcher } from '#test/support/alerts/notification-dispatcher.ts';
import { storeRun } from '#test/support/alerts/store-completions.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, receiver, logged, start, integrationWith, end, notifications, settled, webhook } =
  await setUpDispatcher();

const groupId = '00000000-0000-8000-8000-000000000001';

/** What the notification at the path says about the reason. */
const reasonTo = (path: string) => JSON.parse(receiver.callsTo(path)[0]?.body ?? '{}').data.reason;

const failure = { runId: 1, attempt: 1, jobId: 10, repository: 'acme/site' };

/** Says that the log of the run's job is being read. */
const beginReading = (integrationId: string) =>
  database.worker.withScope({ integrationId }, (tx) =>
    insertPending(tx, [{ integrationId, isCancelled: false, ...failure }]),
  );

const finishReading = (integrationId: string) =>
  database.worker.withScope({ integrationId }, async (tx) => {
    await insertReason(tx, {
      integrationId,
      ...failure,
      groupId,
      workflow: 'CI',
      branch: 'main',
      job: 'test',
      step: { name: 'Run tests', number: 2 },
      errorLine: 'expected 1 to be 2',
      isSpecific: false,
      testId: null,
      subject: null,
      otherSubjects: [],
      infrastructure: null,
      withoutLog: null,
      sealedExcerpt: null,
      failedAt: new Date(),
    });
    await takePending(tx, integrationId, 1, { ...failureWaits, runMs: 0 });
  });

test('a notification waits for the reason and contains it with its assessment', async (t) => {
  const { integrationId } = await integrationWith(webhook('/reason'));
  const other = await integrationWith(webhook('/no-reason'));
  await beginReading(integrationId);
  await end(integrationId, 1, 'failure');
  await start(t, { awaitReasonMs: 600_000 });
  await end(other.integrationId, 1, 'failure');
  await settled(other.integrationId);
  assert.equal(reasonTo('/no-reason'), null);
  assert.equal((await notifications(integrationId))[0]?.status, 'waiting');
  await finishReading(integrationId);
  await settled(integrationId);
  const { assessment, ...reason } = reasonTo('/reason');
  assert.deepEqual(reason, {
    jobId: 10,
    job: 'test',
    step: 'Run tests',
    errorLine: 'expected 1 to be 2',
    groupId,
  });
  assert.equal(assessment.kind, 'new_on_branch');
});

test('a notification waits for the conclusion of an earlier run, which decides what broke the branch', async (t) => {
  const { integrationId } = await integrationWith(webhook('/earlier'));
  const other = await integrationWith(webhook('/without-earlier'));
  await storeRun(database, integrationId, 1, { conclusion: 'cancelled' });
  await end(integrationId, 2, 'failure');
  await database.worker.withScope({ integrationId }, (tx) =>
    insertOfRuns(tx, [{ integrationId, runId: 1, attempt: 1, conclusion: 'cancelled' }]),
  );
  await start(t, { awaitReasonMs: 600_000 });
  await end(other.integrationId, 2, 'failure');
  await settled(other.integrationId);
  assert.equal((await notifications(integrationId))[0]?.status, 'waiting');
  await deleteRows(database, 'pending_conclusions', { group_id: integrationId });
  assert.equal((await settled(integrationId))[0]?.status, 'sent');
});

test('a notification is sent without its reason when reading takes too long', async (t) => {
  const { integrationId } = await integrationWith(webhook('/late'));
  await beginReading(integrationId);
  await end(integrationId, 1, 'failure');
  await start(t, { awaitReasonMs: 200 });
  await settled(integrationId);
  assert.equal(reasonTo('/late'), null);
});

test('a notification is sent when its reason cannot be read', async (t) => {
  const { integrationId } = await integrationWith(webhook('/unreadable'));
  await finishReading(integrationId);
  await database.asOwner('alter table failure_reasons rename to elsewhere');
  t.after(() => database.asOwner('alter table elsewhere rename to failure_reasons'));
  await end(integrationId, 1, 'failure');
  await start(t);
  const [row] = await settled(integrationId);
  assert.equal(row?.status, 'sent');
  assert.equal(reasonTo('/unreadable'), null);
  await waitUntil('the log line', () => logged.some((line) => line.includes('failure reason not read')));
});
