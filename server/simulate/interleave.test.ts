import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createSimulator } from './lifecycle.ts';
import type { SimulatedEvent } from './event.ts';

const startAt = new Date('2026-11-20T10:00:00Z');

/** Events of one lifecycle share a commit or a pull request. Counting runs is enough to count open lifecycles. */
function openRuns(events: readonly SimulatedEvent[]): number {
  const open = new Set<number>();
  let most = 0;
  for (const event of events) {
    if (event.eventType !== 'workflow_run') continue;
    if (event.payload.action === 'completed') open.delete(event.payload.workflow_run.id);
    else open.add(event.payload.workflow_run.id);
    most = Math.max(most, open.size);
  }
  return most;
}

test('a stream is ordered by time and interleaves many lifecycles', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const events = [...createSimulator({ seed, startAt }).stream({ open: 40 }).take(1500)];
      assert.ok(events.every((event, index) => index === 0 || event.at >= (events[index - 1]?.at ?? 0)));
      const most = openRuns(events);
      assert.ok(most >= 20 && most <= 120, `${most} runs were open at once`);
    }),
    { numRuns: 10 },
  );
});

test('each lifecycle keeps its order in a stream', () => {
  const seen = new Map<number, string>();
  for (const event of createSimulator({ seed: 5, startAt }).stream({ open: 10 }).take(3000)) {
    if (event.eventType !== 'workflow_job') continue;
    const { id } = event.payload.workflow_job;
    assert.notEqual(seen.get(id), 'completed');
    seen.set(id, event.payload.action);
  }
});

test('the n-th event of a live stream happens at most a few seconds before its due time, never after', () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(5, 50, 500), (seed, rate) => {
      const live = createSimulator({ seed, startAt, timeScale: 6 }).liveStream({ rate });
      for (const [index, event] of [...live.take(rate * 20)].entries()) {
        const turnAt = startAt.getTime() + (index * 1000) / rate;
        assert.ok(event.at <= turnAt + 1, 'no time is in the future');
        assert.ok(turnAt - event.at < 15_000, `${turnAt - event.at} ms late`);
      }
    }),
    { numRuns: 12 },
  );
});
