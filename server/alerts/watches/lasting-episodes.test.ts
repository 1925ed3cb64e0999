import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleBody } from '#contract/alerts/alerts.ts';
import { closeEndedBranches } from '#server/alerts/branches/close-ended-branches.ts';
import { setUpDispatcher } from '#test/support/alerts/notification-dispatcher.ts';
import { incidentsOf } from '#test/support/alerts/stored-alerts.ts';
import { storeRun } from '#test/support/alerts/store-completions.ts';
import { jobPayload, pullRequestPayload } from '#test/support/data/forge-events.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { recordPayload } from '#test/support/data/record-payload.ts';
import { evaluateWatches } from './evaluate-watches.ts';

const { database, integrationFor } = await setUpDispatcher();
const hour = 3_600_000;
const day = 24 * hour;

const evaluate = (integrationId: string, now = Date.now()) =>
  database.worker.withScope({ integrationId }, (tx) => evaluateWatches(tx, integrationId, now));

/** An integration whose workflow last ran 8 hours ago, on a branch of a pull request. */
async function missing(rule: Partial<RuleBody>): Promise<string> {
  const { integrationId } = await integrationFor({ watch: 'did_not_run', everyHours: 6, ...rule });
  const completedAt = new Date(Date.now() - 8 * hour);
  await storeRun(database, integrationId, 1, { conclusion: 'success', branch: 'feature', completedAt });
  await evaluate(integrationId);
  return integrationId;
}

const statesOf = async (integrationId: string) =>
  (await incidentsOf(database, integrationId)).map(({ status, closeReason }) => closeReason ?? status);

test('an incident about a workflow that does not run lasts when its last run is not read any more', async () => {
  const integrationId = await missing({});
  await evaluate(integrationId, Date.now() + 100 * day);
  assert.deepEqual(await statesOf(integrationId), ['open']);
  await storeRun(database, integrationId, 2, { conclusion: 'success' });
  await evaluate(integrationId);
  assert.deepEqual(await statesOf(integrationId), ['recovered']);
});

test('a queue whose incident a person closed opens no other one while jobs still wait', async () => {
  const { integrationId } = await integrationFor({ watch: 'queued_too_long', queueMinutes: 10 });
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const store = (id: number, queued: number, more: object) => {
    const job = { id, run_id: id, labels: ['gpu'], created_at: ago(queued).toISOString(), ...more };
    return recordPayload(database, integrationId, 'workflow_job', jobPayload(job));
  };
  await store(1, 40, {});
  await evaluate(integrationId);
  const closed = { closed_at: ago(12), close_reason: 'closed', opened_at: ago(30) };
  await updateRows(database, 'incidents', closed, { integration_id: integrationId });
  await store(1, 40, { status: 'in_progress', started_at: ago(5).toISOString() });
  await store(2, 20, {});
  await evaluate(integrationId);
  assert.deepEqual(await statesOf(integrationId), ['closed']);
});

test('the end of a pull request closes no incident about what did not happen on its branch', async () => {
  const integrationId = await missing({});
  const head = { ref: 'feature', repo: { full_name: 'acme/site' } };
  const pull = pullRequestPayload({ number: 1, state: 'closed', head });
  await recordPayload(database, integrationId, 'pull_request', pull);
  await database.worker.withScope({ integrationId }, async (tx) => {
    assert.equal(await closeEndedBranches(tx, integrationId, 10), 1);
  });
  assert.deepEqual(await statesOf(integrationId), ['open']);
});
