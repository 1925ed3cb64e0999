import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { at, eventOf, integrationId, runPayload } from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { previousResult, readPreviousResult } from './read-previous-result.ts';

const { database, record } = await createMonitoringStore();

const read = (runId: number) =>
  database.api.withScope({ integrationId }, (tx) => readPreviousResult(tx, integrationId, runId));

/** A completed run that was created `id` seconds after the epoch. */
const run = (id: number, conclusion: string, more: object = {}) =>
  eventOf(
    'workflow_run',
    runPayload({
      id,
      run_number: id,
      status: 'completed',
      conclusion,
      name: 'CI',
      head_branch: 'main',
      head_sha: `sha${id}`,
      created_at: at(id),
      actor: { login: 'ann' },
      ...more,
    }),
  );

test('the previous result has the run before, since when it is so, and the last other one', async () => {
  await record(
    run(1, 'success'),
    run(2, 'failure'),
    run(3, 'cancelled'),
    run(4, 'timed_out'),
    run(5, 'success', { head_branch: 'topic' }),
    run(6, 'success', { name: 'Lint' }),
    run(7, 'success', { head_repository: { full_name: 'eve/site' } }),
    run(8, 'failure'),
  );
  const previous = await read(8);
  assert.deepEqual(previous?.newest, {
    runId: 4,
    runNumber: 4,
    conclusion: 'timed_out',
    headSha: 'sha4',
    actor: 'ann',
    createdAt: new Date(Date.parse(at(4))).toISOString(),
  });
  assert.deepEqual([previous.runs, previous.first.runId, previous.before?.runId], [2, 2, 1]);
  assert.deepEqual((await read(2))?.newest.runId, 1);
  assert.equal(await read(1), null);
  assert.equal(await read(99), null, 'no such run');
});

test('the previous result is as of the end of the run, and a re-run in progress takes none back', async () => {
  const ended = (id: number, conclusion: string, more: object = {}) =>
    run(id, conclusion, { name: 'Deploy', updated_at: at(id + 1), ...more });
  await record(ended(31, 'success'), ended(32, 'failure'), ended(33, 'failure'));
  const results = async () => {
    const previous = await read(33);
    return [previous?.newest.runId, previous?.newest.conclusion, previous?.runs];
  };
  assert.deepEqual(await results(), [32, 'failure', 1]);
  const again = { run_attempt: 2, run_started_at: at(50) };
  await record(ended(32, 'failure', { ...again, status: 'in_progress', conclusion: null }));
  assert.deepEqual(await results(), [32, 'failure', 1]);
  await record(ended(32, 'success', { ...again, updated_at: at(60) }));
  assert.deepEqual(await results(), [32, 'failure', 1]);
});

test('a branch of its own has its own previous result', async () => {
  await record(
    run(21, 'success', { head_branch: 'topic-2' }),
    run(22, 'failure'),
    run(23, 'failure', { head_branch: 'topic-2' }),
  );
  assert.deepEqual((await read(23))?.newest.runId, 21);
});

test('the previous result of many runs that ended alike names the first of them', async () => {
  const green = Array.from({ length: 45 }, (_, index) => run(101 + index, 'success', { name: 'Nightly' }));
  await record(run(100, 'failure', { name: 'Nightly' }), ...green);
  const previous = await read(145);
  assert.deepEqual([previous?.runs, previous?.first.runId, previous?.before?.runId], [44, 101, 100]);
});

test('the runs of a previous result end alike, without a gap', () => {
  const earlier = fc
    .array(fc.constantFrom('success', 'failure', 'timed_out', 'cancelled', 'skipped', null), {
      maxLength: 30,
    })
    .map((all) =>
      all.map((conclusion, index) => ({
        runId: index + 1,
        runNumber: null,
        conclusion,
        headSha: null,
        actor: null,
        createdAt: '',
      })),
    );
  fc.assert(
    fc.property(earlier, (runs) => {
      const ended = runs.filter(({ conclusion }) => /success|failure|timed_out/.test(conclusion ?? ''));
      const result = previousResult(runs);
      if (result === null) return assert.deepEqual(ended, []);
      const isPassed = result.newest.conclusion === 'success';
      const alike = ended.slice(0, result.runs);
      assert.deepEqual([alike[0], alike.at(-1)], [result.newest, result.first]);
      assert.ok(alike.every(({ conclusion }) => (conclusion === 'success') === isPassed));
      assert.deepEqual(ended[result.runs] ?? null, result.before);
      if (result.before !== null) assert.notEqual(result.before.conclusion === 'success', isPassed);
    }),
  );
});
