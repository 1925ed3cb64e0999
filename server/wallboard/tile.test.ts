import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tile } from '#contract/integrations/wallboard.ts';
import { inOrder, tileOf } from './tile.ts';
import type { WallRun } from './wall-store.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 5, 11, minute));

function run(runId: number, conclusion: string | null, facts: Partial<WallRun> = {}): WallRun {
  return {
    repository: 'acme/site',
    workflow: 'CI',
    runId,
    runNumber: runId,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    title: `Run ${runId}`,
    actor: 'ann',
    errorLine: conclusion === 'failure' ? `Error ${runId}` : null,
    createdAt: at(runId),
    startedAt: at(runId),
    completedAt: conclusion === null ? null : at(runId + 3),
    ...facts,
  };
}

/** Given from oldest to newest. */
function tile(...runs: WallRun[]): Tile {
  return tileOf(runs.toReversed() as [WallRun, ...WallRun[]]);
}

test('the newest run that succeeded or failed decides, whatever runs or was cancelled after it', () => {
  assert.equal(tile(run(1, 'success')).state, 'passed');
  assert.equal(tile(run(1, 'success'), run(2, 'failure')).state, 'failed');
  assert.equal(tile(run(1, 'failure'), run(2, 'cancelled'), run(3, 'skipped'), run(4, null)).state, 'failed');
  assert.equal(tile(run(1, 'failure'), run(2, 'success')).state, 'passed');
  assert.equal(tile(run(1, 'cancelled')).state, 'none');
  for (const conclusion of ['timed_out', 'startup_failure', 'action_required'])
    assert.equal(tile(run(1, 'success'), run(2, conclusion)).state, 'failed', conclusion);
});

test('a failed workflow says since when and why', () => {
  const { failingSince, last } = tile(
    run(1, 'failure'),
    run(2, 'success'),
    run(3, 'failure'),
    run(4, 'failure'),
  );
  assert.equal(failingSince, at(3).toISOString());
  assert.deepEqual([last?.runId, last?.errorLine], [4, 'Error 4']);
  assert.equal(tile(run(5, 'failure'), run(6, 'failure')).failingSince, at(5).toISOString());
  const green = tile(run(1, 'failure'), run(2, 'success', { errorLine: 'of an earlier attempt' }));
  assert.deepEqual([green.failingSince, green.last?.errorLine], [null, null]);
});

test('a running workflow has the median of its successful runs as expected duration', () => {
  const slow = run(1, 'success', { completedAt: at(31) });
  assert.deepEqual(
    tile(slow, run(2, 'success'), run(3, 'success'), run(4, 'failure'), run(5, null)).running,
    {
      runId: 5,
      startedAt: at(5).toISOString(),
      expectedMs: 180_000,
    },
  );
  assert.equal(tile(run(1, null, { startedAt: null })).running?.expectedMs, null);
  const clocksDiffer = run(1, 'success', { completedAt: at(0) });
  assert.equal(tile(clocksDiffer, run(2, null)).running?.expectedMs, 0);
});

test('the latest broken workflow is first, then the others by name', () => {
  const named = (workflow: string, ...conclusions: string[]): Tile =>
    tile(...conclusions.map((conclusion, index) => run(index + 1, conclusion, { workflow })));
  const tiles = [
    named('b', 'success'),
    named('old', 'failure', 'failure'),
    named('new', 'success', 'failure'),
    named('a', 'cancelled'),
  ];
  assert.deepEqual(
    inOrder(tiles).map(({ workflow }) => workflow),
    ['new', 'old', 'a', 'b'],
  );
});
