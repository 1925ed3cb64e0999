import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, eventOf, jobPayload, pullRequestPayload, runPayload } from '#test/support/data/forge-events.ts';
import {
  createMonitoringStore,
  monitoringTables,
  outcomesOf,
} from '#test/support/data/reading/monitoring-store.ts';
import { readRows } from '#test/support/database/rows.ts';

const { database, record, empty } = await createMonitoringStore();

/** More objects of each kind than one statement writes, each with its first and last event. */
const events = Array.from({ length: 45 }, (_, index) => {
  const id = index + 1;
  const job = { id, run_id: id, started_at: at(20), runner_name: `runner ${id % 7}`, name: `job ${id % 5}` };
  const ended = { status: 'completed', conclusion: 'success' };
  return [
    eventOf('workflow_run', runPayload({ id, run_attempt: 1, ...ended, updated_at: at(70) })),
    eventOf('workflow_job', jobPayload({ ...job, status: 'in_progress' })),
    eventOf('workflow_job', jobPayload({ ...job, ...ended, completed_at: at(60 + id) })),
    eventOf('workflow_run', runPayload({ id, run_attempt: 2, status: 'queued', updated_at: at(90) })),
    eventOf('pull_request', pullRequestPayload({ number: id })),
  ];
}).flat();

async function stored(): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const table of monitoringTables) {
    // The sums of a run that has a newer attempt may stay as a row of zeros.
    const isLeft = ({ count }: { count?: string }) => table !== 'hourly_rollups' || Number(count) > 0;
    const rows = (await readRows<{ count?: string }>(database, table)).filter(isLeft);
    tables[table] = rows.map((row) => JSON.stringify(row, emptyBuckets)).toSorted();
  }
  return tables;
}

/** An empty bucket of a histogram is 0 or null, depending on how it was written. */
function emptyBuckets(this: unknown, _key: string, value: unknown): unknown {
  return Array.isArray(this) ? (value ?? 0) : value;
}

test('one large batch ends in the same rows and numbers as single events', async () => {
  for (const event of events) await record(event);
  const oneByOne = await stored();
  assert.equal(oneByOne['workflow_run_attempts']?.length, 45);

  await empty();
  assert.deepEqual(new Set(outcomesOf(await record(...events))), new Set(['stored']));
  assert.deepEqual(await stored(), oneByOne);
});

test('the stored rows of many objects are found in one call', async () => {
  await record(...events);
  const before = await stored();
  const outcomes = outcomesOf(await record(...events));
  assert.equal(outcomes.filter((outcome) => outcome === 'stored').length, 0);
  assert.deepEqual(await stored(), before);
});
