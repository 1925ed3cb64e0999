import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tile } from '#contract/integrations/wallboard.ts';
import { inOrder, tileOf } from './tile.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 5, 11, minute)).toISOString();
const firstBad = { runId: 2, sha: 'b'.repeat(40), title: 'Break it', actor: 'ann' };

function tile(conclusion: string | null, workflow = 'CI', since = at(2)): Tile {
  const run = { runId: 4, runNumber: 4, attempt: 1, branch: 'main', title: 'Run 4', errorLine: 'Error 4' };
  const last = conclusion === null ? null : { ...run, conclusion, createdAt: at(4), completedAt: at(5) };
  return tileOf(
    { repository: 'acme/site', workflow, isRunning: false, last },
    { since, firstBad },
    undefined,
    triage,
  );
}

const triage = {
  incidentId: 'i',
  status: 'open' as const,
  version: 2,
  acknowledged: { by: { userId: 'a', name: 'Ann' }, at: at(3) },
  assignee: null,
  snoozedUntil: null,
  owner: null,
};

test('a failed tile says since when and who, and a tile that passed says neither', () => {
  for (const conclusion of ['failure', 'timed_out', 'startup_failure', 'action_required']) {
    const { state, failingSince, firstBad: bad, last, handledBy } = tile(conclusion);
    assert.deepEqual([state, failingSince, bad, last?.errorLine], ['failed', at(2), firstBad, 'Error 4']);
    assert.deepEqual(handledBy, { name: 'Ann' });
  }
  const { state, failingSince, firstBad: bad, last, handledBy } = tile('success');
  assert.deepEqual(
    [state, failingSince, bad, last?.errorLine, handledBy],
    ['passed', null, null, null, null],
  );
  assert.equal(tile(null).state, 'none');
});

test('the latest broken workflow is first, then the others by name', () => {
  const tiles = [
    tile('success', 'b'),
    tile('failure', 'old', at(1)),
    tile('failure', 'new', at(3)),
    tile(null, 'a'),
  ];
  assert.deepEqual(
    inOrder(tiles).map(({ workflow }) => workflow),
    ['new', 'old', 'a', 'b'],
  );
});
