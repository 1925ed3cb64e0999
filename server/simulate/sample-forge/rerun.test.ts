import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSimulator } from '../simulator.ts';
import type { StoryName } from '../plan/stories.ts';
import { rerunEvents } from './rerun.ts';
import { makeSampleRuns } from './sample-runs.ts';

const now = Date.parse('2026-11-22T10:00:00Z');

/** The first attempt of the first run of a story, and how it ends on a re-run of the failed jobs. */
function rerunOf(story: StoryName) {
  const runs = makeSampleRuns();
  const simulator = createSimulator({ seed: 'rerun', startAt: new Date(now - 3_600_000) });
  const events = simulator.story(story);
  const end = events.findIndex(({ payload }) => 'workflow_run' in payload && payload.action === 'completed');
  for (const event of events.slice(0, end + 1)) runs.note(event);
  const last = events[end]!.payload;
  assert.ok('workflow_run' in last && last.workflow_run.conclusion === 'failure');
  const rerun = rerunEvents(runs, 'failed', last.workflow_run.id, now);
  assert.ok(typeof rerun !== 'string', String(rerun));
  const ended = rerun.at(-1)!.payload;
  assert.ok('workflow_run' in ended);
  return { runs, rerun, run: ended.workflow_run };
}

test('a re-run passes after a fault of the infrastructure and fails again after a fault in the code', () => {
  assert.equal(rerunOf('flakyJob').run.conclusion, 'success');
  const { rerun, run } = rerunOf('brokenBranch');
  assert.deepEqual([run.run_attempt, run.conclusion], [2, 'failure']);
  const ends = rerun.flatMap(({ payload }) =>
    'workflow_job' in payload && payload.action === 'completed' ? [payload.workflow_job.conclusion] : [],
  );
  assert.deepEqual(ends, ['failure', 'skipped']);
});

test('a running or forgotten run is not re-run', () => {
  const { runs, rerun, run } = rerunOf('flakyJob');
  for (const event of rerun.slice(0, -1)) runs.note(event);
  assert.equal(rerunEvents(runs, 'all', run.id, now), 'This workflow is already running');
  assert.match(String(rerunEvents(makeSampleRuns(), 'all', run.id, now)), /forgotten/);
});
