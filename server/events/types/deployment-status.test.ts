import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { at, deploymentPayload, eventOf, integrationId } from '#test/support/data/forge-events.ts';
import { arbitraryBatches } from '#test/support/data/arbitrary-events.ts';
import { createMonitoringStore, outcomesOf } from '#test/support/data/reading/monitoring-store.ts';
import { parseEvent } from '../parsing/parse-event.ts';

const { database, record, row, empty } = await createMonitoringStore();

const statusOf = (status: object, deployment: object = {}, rest: object = {}, deliveredAt = 0) =>
  eventOf(
    'deployment_status',
    deploymentPayload(
      status as Record<string, unknown>,
      deployment as Record<string, unknown>,
      rest as Record<string, unknown>,
    ),
    deliveredAt,
  );

test('a deployment is stored once, with the run that deployed it', async () => {
  const run = { workflow_run: { id: 77, run_attempt: 2 } };
  await record(
    statusOf({ id: 1, state: 'queued', updated_at: at(1) }, {}, run),
    statusOf(
      { id: 2, state: 'success', updated_at: at(9), log_url: 'https://forge.test/log' },
      { production_environment: true, creator: { login: 'ann' } },
      run,
    ),
  );
  const { version: _, ...stored } = await row('deployments');
  assert.deepEqual(stored, {
    integration_id: integrationId,
    deployment_id: '40',
    repository: 'acme/site',
    environment: 'production',
    is_production: true,
    sha: 'a'.repeat(40),
    ref: 'main',
    creator: 'ann',
    state: 'success',
    updated_at: new Date(at(9)),
    url: 'https://forge.test/log',
    run_id: '77',
    attempt: 2,
  });
});

test('that a newer deployment took its place does not undo its success', async () => {
  const recorded = await record(
    statusOf({ id: 1, state: 'success', updated_at: at(1) }),
    statusOf({ id: 2, state: 'inactive', updated_at: at(60) }),
  );
  assert.deepEqual(outcomesOf(recorded), ['stored', 'already_completed']);
  assert.equal((await row('deployments'))['state'], 'success');
});

test('the newest status that says more than inactive is stored, in any order and repetition', async () => {
  const status = fc.record({
    id: fc.integer({ min: 1, max: 6 }),
    second: fc.integer({ min: 0, max: 3 }),
  });
  const states = ['queued', 'in_progress', 'success', 'failure', 'error', 'inactive'];
  // The forge never changes a status.
  const stateOf = ({ id, second }: { id: number; second: number }) => states[(id * 7 + second) % 6]!;
  const lives = fc
    .uniqueArray(status, { minLength: 1, maxLength: 8, selector: ({ id }) => id })
    .chain((life) =>
      fc.tuple(
        fc.constant(life),
        arbitraryBatches(
          life.map((each) => statusOf({ id: each.id, state: stateOf(each), updated_at: at(each.second) })),
        ),
      ),
    );
  await fc.assert(
    fc.asyncProperty(lives, async ([life, batches]) => {
      await empty();
      for (const batch of batches) await record(...batch);
      const telling = life.filter((each) => stateOf(each) !== 'inactive');
      const newest = (telling.length > 0 ? telling : life).toSorted(
        (one, other) => one.second - other.second || one.id - other.id,
      );
      const { state, updated_at } = await row('deployments');
      assert.deepEqual([state, updated_at], [stateOf(newest.at(-1)!), new Date(at(newest.at(-1)!.second))]);
    }),
    { numRuns: 40 },
  );
});

test('a pull request keeps the commit of its merge, and not that of a trial', async () => {
  const pull = (merged: boolean) => ({
    repository: { id: 7, full_name: 'acme/site' },
    number: 5,
    pull_request: { number: 5, merged, merge_commit_sha: 'b'.repeat(40), updated_at: at(merged ? 2 : 1) },
  });
  await record(eventOf('pull_request', pull(false)));
  assert.equal((await row('pull_requests'))['merge_sha'], null);
  await record(eventOf('pull_request', pull(true)));
  assert.equal((await row('pull_requests'))['merge_sha'], 'b'.repeat(40));
});

test('a status without its ids is refused, and other fields may be missing or odd', async () => {
  const parse = (payload: object) =>
    parseEvent({
      eventType: 'deployment_status',
      integrationId,
      deliveryId: null,
      receivedAt: Date.parse(at(5)),
      payload,
    });
  const refused = (payload: object): string | undefined => {
    const result = parse(payload);
    return result.ok ? undefined : result.detail.split(':', 1)[0];
  };
  for (const id of [undefined, null, '1', 0, -1, 1.5, 2 ** 53]) {
    assert.equal(refused(deploymentPayload({ id })), 'deployment_status.id');
    assert.equal(refused(deploymentPayload({}, { id })), 'deployment.id');
  }
  assert.equal(refused({ ...deploymentPayload(), deployment: null }), 'deployment');
  await record(
    statusOf(
      { state: 5, updated_at: 'soon', created_at: null, log_url: {} },
      { sha: null, ref: [], environment: 'x'.repeat(300), production_environment: 'yes', creator: null },
      { workflow_run: { id: 'x', run_attempt: 2 ** 40 } },
    ),
  );
  const { version: _, deployment_id, integration_id: __, repository, ...stored } = await row('deployments');
  assert.deepEqual([deployment_id, repository], ['40', 'acme/site']);
  assert.deepEqual(stored, {
    environment: 'x'.repeat(255),
    is_production: null,
    sha: null,
    ref: null,
    creator: null,
    state: null,
    updated_at: new Date(at(0)),
    url: null,
    run_id: null,
    attempt: null,
  });
});

test('equal ids of two forges are two deployments', async () => {
  const of = (host: string) =>
    statusOf(
      {},
      {},
      { repository: { id: 7, full_name: 'acme/site', html_url: `https://${host}/acme/site` } },
    );
  await record(of('one.test'));
  await record(of('other.test'));
  const ids = await database.asOwner<{ id: string }>('select deployment_id::text as id from deployments');
  assert.equal(ids.length, 2);
});
