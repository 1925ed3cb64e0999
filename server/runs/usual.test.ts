import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greenBuild, jobOf, runOf } from '#test/support/data/completions.ts';
import { at, integrationId } from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { readUsualDurations } from './usual-store.ts';

const { database, record } = await createMonitoringStore();

const read = (runId: number) =>
  database.api.withScope({ integrationId }, (tx) => readUsualDurations(tx, integrationId, runId));

/** A run with one job, an hour after the one before. */
async function complete(id: number, seconds: number, more: object = {}): Promise<void> {
  const facts = { ...greenBuild, id, seconds, startSeconds: id * 3600, ...more };
  const created = { created_at: at(facts.startSeconds) };
  await record(runOf(facts, created), jobOf(facts));
}

test('the usual duration is the median of earlier successes of the same branch class', async () => {
  await complete(1, 60);
  await complete(2, 70);
  assert.deepEqual(await read(2), { runMs: null, jobs: [] }, 'one success is not usual');
  await complete(3, 90);
  await complete(4, 900, { conclusion: 'failure' });
  await complete(5, 5, { branch: 'topic' });
  await complete(6, 7, { name: 'Lint' });
  await complete(7, 8, { repository: 'acme/other' });
  await complete(8, 300);
  await complete(9, 400);
  assert.deepEqual(await read(8), { runMs: 70_000, jobs: [{ name: 'build', ms: 70_000 }] });
  assert.deepEqual((await read(4)).runMs, 70_000, 'later runs do not count');
  assert.deepEqual(await read(5), { runMs: null, jobs: [] }, 'a topic branch has its own');
});

test('only the last twenty successes count', async () => {
  for (let id = 101; id <= 110; id += 1) await complete(id, 600, { name: 'Deploy' });
  for (let id = 111; id <= 130; id += 1) await complete(id, 30, { name: 'Deploy' });
  await complete(131, 31, { name: 'Deploy' });
  assert.equal((await read(131)).runMs, 30_000);
});
