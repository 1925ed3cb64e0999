import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startDeliveryReader } from '#test/support/data/reading/delivery-reader.ts';
import { metricGroupings } from '#contract/metrics/metrics.ts';
import { txOf } from '#platform/database/database.ts';
import { jobPayload, pullRequestPayload, runPayload } from '#test/support/data/forge-events.ts';
import { DashboardCache } from './dashboard-cache.ts';
import { readMetrics } from './read-metrics.ts';
import { readOverview } from './read-overview.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

const { program, integration, read, post } = await startDeliveryReader();
const { integrationId } = integration;

/** Events that change numbers, including late events and events that cause no update on screens. */
function events(): { event: string; payload: object }[] {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  const [begun, done, late] = [ago(600), ago(60), ago(900)];
  const run = { id: 1, name: 'CI', head_branch: 'main', created_at: begun, run_started_at: begun };
  const job = {
    id: 11,
    run_id: 1,
    workflow_name: 'CI',
    head_branch: 'main',
    labels: ['big'],
    created_at: begun,
  };
  const over = { status: 'completed', completed_at: done };
  const pull = { state: 'closed', merged: true, created_at: begun, merged_at: done, updated_at: done };
  return [
    { event: 'workflow_run', payload: runPayload({ ...run, status: 'in_progress', updated_at: begun }) },
    {
      event: 'workflow_job',
      payload: jobPayload({ ...job, ...over, conclusion: 'failure', started_at: ago(300) }),
    },
    {
      event: 'workflow_job',
      payload: jobPayload({ ...job, status: 'in_progress', started_at: ago(400), runner_name: 'r1' }),
    },
    {
      event: 'workflow_run',
      payload: runPayload({ ...run, status: 'completed', conclusion: 'failure', updated_at: done }),
    },
    {
      event: 'workflow_run',
      payload: runPayload({ ...run, status: 'queued', updated_at: late, run_started_at: late }),
    },
    { event: 'pull_request', payload: pullRequestPayload(pull) },
  ];
}

/** The cached answer, and the answer of an empty cache in the same hour. */
async function answerAndTruth(): Promise<[unknown, unknown]> {
  const hour = () => Math.floor(Date.now() / hourMs);
  for (;;) {
    const began = hour();
    const answer = [await read('overview'), await read('metrics?groupBy=workflow')];
    const truth = await program.database.api.withScope({ integrationId }, async (tx) => [
      await readOverview(tx, integrationId, { range: '24h' }, Date.now(), new DashboardCache()),
      await readMetrics(tx, integrationId, { groupBy: 'workflow' }, Date.now(), new DashboardCache()),
    ]);
    if (hour() === began) return [answer, JSON.parse(JSON.stringify(truth))];
  }
}

test('an answer is cached for its question until the hour ends or an event is stored', async () => {
  const cache = new DashboardCache();
  let reads = 0;
  const hour = 500_000 * hourMs;
  const ask = (own: object) =>
    cache.answer(
      { integrationId, question: 'overview', changes: 'none', now: hour, ...own },
      async () => (reads += 1),
    );
  assert.deepEqual([await ask({}), await ask({ now: hour + hourMs - 1 })], [1, 1]);
  assert.deepEqual([await ask({ now: hour + hourMs }), await ask({ question: 'metrics' })], [2, 3]);
  assert.equal(await ask({ integrationId: 'another integration' }), 4);
  assert.equal(await ask({ changes: 'one' }), 5);
});

test('a failed read is not cached', async () => {
  const cache = new DashboardCache();
  const key = { integrationId, question: 'overview', changes: '', now: 0 };
  await assert.rejects(cache.answer(key, () => Promise.reject(new Error('away'))));
  assert.equal(await cache.answer(key, async () => 'here'), 'here');
});

test('a cached dashboard shows the stored numbers after each event', async () => {
  const [before] = await answerAndTruth();
  for (const { event, payload } of events()) {
    await post(event, payload, randomUUID());
    const [answer, truth] = await answerAndTruth();
    assert.deepEqual(answer, truth, event);
  }
  const [after] = await answerAndTruth();
  assert.notDeepEqual(after, before);
});

test('all figures of a page are made from one read of the runs, jobs and runners of the hours in progress', async () => {
  const cache = new DashboardCache();
  for (const groupBy of [undefined, ...metricGroupings]) {
    const readAgain = async () => {
      const sums: string[] = [];
      await program.database.api.withScope({ integrationId }, (tx) => {
        const spy = txOf((statement, values) => {
          const { name = '', values: given = [] } = statement as { name?: string; values?: unknown[] };
          if (name.startsWith('sum ')) sums.push(String(given[1]));
          return tx.query(statement, values);
        });
        return readMetrics(spy, integrationId, { groupBy }, Date.now(), cache);
      });
      return sums.sort();
    };
    // The first one also reads what is finalized.
    await readAgain();
    const sums = await readAgain();
    assert.deepEqual(sums, [...new Set(sums)], groupBy ?? 'in total');
  }
});
