import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import type { SimulatedEvent } from './event.ts';
import { createSimulator } from './simulator.ts';

type Of<Type extends QueuedEvent> = SimulatedEvent & { eventType: Type };

const startAt = new Date('2026-11-20T10:00:00Z');
const seeds = fc.tuple(fc.integer(), fc.constantFrom(1, 6, 40));

function storiesOf(seed: number, timeScale: number, count: number): SimulatedEvent[][] {
  const simulator = createSimulator({ seed, startAt, timeScale });
  return Array.from({ length: count }, () => simulator.story());
}

function only<Type extends QueuedEvent>(events: readonly SimulatedEvent[], type: Type): Of<Type>[] {
  return events.filter((event): event is Of<Type> => event.eventType === type);
}

/** Checks a property of every story over many seeds and speeds. */
function everyStory(check: (events: SimulatedEvent[]) => void): void {
  fc.assert(
    fc.property(seeds, ([seed, timeScale]) => storiesOf(seed, timeScale, 12).forEach(check)),
    { numRuns: 20 },
  );
}

function isRising(values: readonly (number | string)[]): boolean {
  return values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value));
}

function idsFrom(start: Date): string[] {
  const events = createSimulator({ seed: 1, startAt: start }).story();
  return events.map(({ deliveryId }) => deliveryId);
}

test('the same seed gives the same bytes, another seed or start time other ids', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const bytes = JSON.stringify(storiesOf(seed, 1, 5));
      assert.equal(JSON.stringify(storiesOf(seed, 1, 5)), bytes);
      assert.notEqual(JSON.stringify(storiesOf(seed + 1, 1, 5)), bytes);
    }),
    { numRuns: 10 },
  );
  const later = new Set(idsFrom(new Date(startAt.getTime() + 1)));
  assert.ok(idsFrom(startAt).every((id) => !later.has(id)));
});

test('the events of a story are ordered, each with a unique id', () => {
  fc.assert(
    fc.property(seeds, ([seed, timeScale]) => {
      const stories = storiesOf(seed, timeScale, 12);
      for (const events of stories) {
        assert.ok(events.length >= 2);
        assert.ok(isRising(events.map(({ at }) => at)));
      }
      const all = stories.flat();
      assert.equal(new Set(all.map(({ deliveryId }) => deliveryId)).size, all.length);
    }),
    { numRuns: 20 },
  );
});

test('a run keeps its identity, and each attempt goes from requested to in progress to completed', () => {
  everyStory((events) => {
    const runs = Map.groupBy(only(events, 'workflow_run'), ({ payload }) => payload.workflow_run.id);
    for (const told of runs.values()) {
      const bodies = told.map(({ payload }) => payload.workflow_run);
      const identity = bodies.map(
        (run) => `${run.created_at} ${run.run_number} ${run.head_sha} ${run.workflow_id}`,
      );
      assert.equal(new Set(identity).size, 1);
      assert.ok(isRising(bodies.map((run) => run.run_attempt)));
      assert.ok(isRising(bodies.map((run) => run.updated_at)));
      assert.ok(isRising(bodies.map((run) => run.run_started_at)));
      const attempts = [...Map.groupBy(told, ({ payload }) => payload.workflow_run.run_attempt)];
      assert.deepEqual(
        attempts.map(([number]) => number),
        attempts.map((_, index) => index + 1),
      );
      for (const [number, attempt] of attempts) {
        const actions = attempt.map(({ payload }) => payload.action).join(' ');
        assert.match(actions, /^requested (in_progress )?completed$/);
        for (const { payload } of attempt) {
          assert.equal(payload.workflow_run.previous_attempt_url === null, number === 1);
          assert.equal(payload.workflow_run.run_started_at >= payload.workflow_run.created_at, true);
        }
      }
    }
  });
});

test('every job happens within its attempt, gets a runner at its start and completes once', () => {
  everyStory((events) => {
    const runs = only(events, 'workflow_run');
    const jobs = Map.groupBy(only(events, 'workflow_job'), ({ payload }) => payload.workflow_job.id);
    for (const told of jobs.values()) {
      const { run_id: runId, run_attempt: attempt, created_at: createdAt } = told[0]!.payload.workflow_job;
      const own = runs.filter(
        ({ payload: { workflow_run: run } }) => run.id === runId && run.run_attempt === attempt,
      );
      assert.ok(own.length >= 2, 'its run exists');
      assert.ok(told[0]!.at > own[0]!.at && told.at(-1)!.at < own.at(-1)!.at, 'inside its attempt');
      const actions = told.map(({ payload }) => payload.action).join(' ');
      assert.match(actions, /^(queued )?(waiting (queued )?)?(in_progress )?completed$/);
      for (const { payload } of told) {
        const job = payload.workflow_job;
        assert.deepEqual([job.run_id, job.run_attempt, job.created_at], [runId, attempt, createdAt]);
        if (payload.action === 'queued' || payload.action === 'waiting') {
          assert.deepEqual([job.runner_name, job.steps.length, job.started_at], [null, 0, createdAt]);
        }
        if (payload.action === 'in_progress') assert.ok(job.runner_name !== null && job.steps.length > 0);
        assert.equal(job.conclusion === null, payload.action !== 'completed');
        assert.equal(job.completed_at === null, payload.action !== 'completed');
      }
    }
  });
});

test('the conclusion of an attempt follows from its jobs', () => {
  everyStory((events) => {
    const jobs = only(events, 'workflow_job').filter(({ payload }) => payload.action === 'completed');
    for (const { payload } of only(events, 'workflow_run')) {
      const run = payload.workflow_run;
      if (payload.action !== 'completed') continue;
      const own = jobs.map((job) => job.payload.workflow_job);
      const ends = own.filter((job) => job.run_id === run.id && job.run_attempt === run.run_attempt);
      const has = (conclusion: string): boolean => ends.some((job) => job.conclusion === conclusion);
      if (run.conclusion === 'success') assert.ok(ends.every((job) => job.conclusion === 'success'));
      else if (run.conclusion === 'skipped') assert.ok(ends.every((job) => job.conclusion === 'skipped'));
      else if (run.conclusion === 'action_required') assert.equal(ends.length, 0);
      else assert.ok(has(String(run.conclusion)), `${run.conclusion} without such a job`);
    }
  });
});

test('a pull request changes at most once a second, ends closed, and is reduced in its reviews', () => {
  everyStory((events) => {
    const changes = events.flatMap((event) =>
      event.eventType === 'pull_request' || event.eventType === 'pull_request_review' ? [event.payload] : [],
    );
    for (const ofOne of Map.groupBy(changes, ({ pull_request: pull }) => pull.number).values()) {
      const times = ofOne.map(({ pull_request: pull }) => pull.updated_at);
      assert.ok(isRising(times));
      assert.equal(new Set(times).size, times.length);
      assert.deepEqual(ofOne.map(({ pull_request: pull }) => pull.state).indexOf('closed'), ofOne.length - 1);
    }
    for (const { payload } of only(events, 'pull_request_review')) {
      assert.ok(!('merged' in payload.pull_request) && !('commits' in payload.pull_request));
    }
  });
});

test('times are whole seconds in UTC, and none is later than its event', () => {
  everyStory((events) => {
    for (const event of events) {
      const told =
        event.eventType === 'workflow_run'
          ? [event.payload.workflow_run.updated_at, event.payload.workflow_run.run_started_at]
          : event.eventType === 'workflow_job'
            ? [event.payload.workflow_job.created_at, event.payload.workflow_job.completed_at]
            : event.eventType === 'deployment_status'
              ? [event.payload.deployment_status.updated_at]
              : [event.payload.pull_request.updated_at];
      for (const time of told.filter((value) => value !== null)) {
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        assert.ok(Date.parse(time) <= event.at);
      }
    }
  });
});

test('a stream sends its n-th event on time, in order, and keeps the events of each story', () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(0.5, 10, 400), (seed, rate) => {
      const events = [...createSimulator({ seed, startAt }).stream({ rate }).take(400)];
      assert.ok(isRising(events.map(({ at }) => at)));
      for (const [nth, { at }] of events.entries())
        assert.ok(at <= startAt.getTime() + (nth * 1000) / rate, `event ${nth}`);
      const runs = Map.groupBy(only(events, 'workflow_run'), ({ payload }) => payload.workflow_run.id);
      for (const told of runs.values()) assert.equal(told[0]!.payload.action, 'requested');
    }),
    { numRuns: 15 },
  );
});
