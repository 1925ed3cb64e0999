import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import * as fc from 'fast-check';
import {
  arbitraryBatches,
  arbitraryEvent,
  arbitraryJob,
  arbitraryRun,
} from '#test/support/data/arbitrary-events.ts';
import { adaptPayload, adapterOf } from '#server/ingestion/other-forges/adapt-event.ts';
import {
  at,
  deliveryIdAt,
  epoch,
  eventOf,
  integrationId,
  jobPayload,
  parsedEvent,
  runPayload,
} from '#test/support/data/forge-events.ts';
import type { MonitoringEvent } from './parsing/parse-event.ts';
import { reduceEvents, type ReducedEvents, type StoredRows } from './reduce-events.ts';
import { mapObjects, type Rows } from './types/objects.ts';
import { runRollups, jobRollups, type RollupRow } from '#server/rollups/rollups.ts';
import { latestAttemptOf, storedAttempts, storedRuns, type RunRow } from '#server/runs/objects/run.ts';
import { storedJobs, type JobRow } from '#server/runs/objects/job.ts';
import type { VersionedRow } from '#server/runs/objects/columns.ts';

/** An in-memory replacement for the database. */
class MemoryStore {
  readonly tables = mapObjects(() => new Map<string, VersionedRow>());
  readonly rollups = new Map<string, number>();

  record(events: readonly MonitoringEvent[]): ReducedEvents {
    const reduced = reduceEvents(this.rows(), events);
    mapObjects(({ keyOf }, name) => {
      for (const row of reduced.changed[name]) this.tables[name].set(keyOf(row), row);
    });
    for (const rollup of reduced.deltas) this.#add(rollup);
    return reduced;
  }

  rows(): StoredRows {
    const rows = mapObjects((_, name) => [...this.tables[name].values()]) as Rows;
    return { ...rows, runsOfJobs: new Map() };
  }

  /** All rows and numbers in a comparable form. Zero equals a missing number. */
  state(): unknown {
    const tables = Object.entries(this.tables).map(([name, rows]) => [name, sorted(rows)]);
    return { ...Object.fromEntries(tables), rollups: sorted(this.rollups) };
  }

  #add(rollup: RollupRow): void {
    for (const [name, number] of numbersOf(rollup)) {
      const sum = (this.rollups.get(name) ?? 0) + number;
      if (sum === 0) this.rollups.delete(name);
      else this.rollups.set(name, sum);
    }
  }
}

function sorted(map: ReadonlyMap<string, unknown>): unknown {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function numbersOf(rollup: RollupRow): [string, number][] {
  const { integrationId, series, durations, queueTimes, ...rest } = rollup;
  const { kind, start, repository, workflow, job, runner, onDefaultBranch, isSample, ...numbers } = rest;
  const names = { kind, start, repository, workflow, job, runner, onDefaultBranch, isSample };
  const prefix = `${integrationId} ${series.toString('hex')} ${JSON.stringify(names)}`;
  const buckets = (kind: string, counts: ReadonlyMap<number, number>) =>
    [...counts].map(([bucket, number]): [string, number] => [`${prefix} ${kind} ${bucket}`, number]);
  return [
    ...Object.entries(numbers).map(([name, number]): [string, number] => [`${prefix} ${name}`, number]),
    ...buckets('durations', durations),
    ...buckets('queueTimes', queueTimes),
  ];
}

function stateAfter(batches: MonitoringEvent[][]): unknown {
  const store = new MemoryStore();
  for (const batch of batches) store.record(batch);
  return store.state();
}

test('events end in the same rows and rollups in any order, repeated and in any batches', () => {
  const lives = fc
    .array(arbitraryEvent, { minLength: 1, maxLength: 14 })
    .chain((events) => fc.tuple(fc.constant(events), arbitraryBatches(events)));
  fc.assert(
    fc.property(lives, ([events, batches]) => {
      assert.deepEqual(stateAfter(batches), stateAfter(events.map((event) => [event])));
    }),
    { numRuns: 1000 },
  );
});

test('the rollups equal those of the final rows, each counted once', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(arbitraryRun, arbitraryJob), { maxLength: 14 }), (events) => {
      const store = new MemoryStore();
      for (const event of events) store.record([event]);
      const { workflow_run: runs, workflow_job: jobs } = store.rows();
      const expected = new Map<string, number>();
      for (const rollup of [...runs.flatMap(runRollups), ...jobs.flatMap(jobRollups)])
        for (const [name, number] of numbersOf(rollup))
          expected.set(name, (expected.get(name) ?? 0) + number);
      const nonzero = new Map([...expected].filter(([, number]) => number !== 0));
      assert.deepEqual(new Map([...store.rollups].sort()), new Map([...nonzero].sort()));
    }),
    { numRuns: 500 },
  );
});

function obeysLaws<Row>(merge: (a: Row, b: Row) => Row, [a, b, c]: Row[]): void {
  assert.deepEqual(merge(a!, b!), merge(b!, a!));
  assert.deepEqual(merge(merge(a!, b!), c!), merge(a!, merge(b!, c!)));
  assert.deepEqual(merge(merge(a!, b!), b!), merge(a!, b!));
}

test('merges are commutative, associative and idempotent', () => {
  const sameRun = fc
    .tuple(arbitraryRun, arbitraryRun, arbitraryRun)
    .map((events) => events.map((event) => ({ ...(event as { row: RunRow }).row, runId: 1 })));
  const sameJob = fc
    .tuple(arbitraryJob, arbitraryJob, arbitraryJob)
    .map((events) => events.map((event) => ({ ...(event as { row: JobRow }).row, jobId: 1, attempt: 1 })));
  const check = <Row>(rows: fc.Arbitrary<Row[]>, merge: (a: Row, b: Row) => Row) =>
    fc.assert(
      fc.property(rows, (three) => obeysLaws(merge, three)),
      { numRuns: 500 },
    );
  check(sameRun, storedRuns.merge);
  check(sameJob, storedJobs.merge);
  check(
    sameRun.map((rows) => rows.map((row) => ({ ...latestAttemptOf(row), attempt: 1 }))),
    storedAttempts.merge,
  );
});

test('an event that changes nothing writes nothing', () => {
  fc.assert(
    fc.property(fc.array(arbitraryEvent, { minLength: 1, maxLength: 8 }), (events) => {
      const store = new MemoryStore();
      store.record(events);
      const { changed, deltas, outcomes } = store.record(events);
      assert.deepEqual(Object.values(changed).flat(), []);
      assert.deepEqual(deltas, []);
      assert.deepEqual(new Set(outcomes.map(({ outcome }) => outcome)), new Set(['stale']));
    }),
  );
});

test('changed rows are ordered by key in any order of events', () => {
  const events = [300, 20, 1000].map((id) => eventOf('workflow_job', jobPayload({ id })));
  const written = [events, events.toReversed()].map(
    (list) => new MemoryStore().record(list).changed.workflow_job,
  );
  assert.deepEqual(written[0], written[1]);
});

function titlesOf(objects: { row: VersionedRow }[]): unknown[] {
  return objects.map(({ row }) => 'title' in row && row.title);
}

test('the last event of a batch that changed an object has its final state', () => {
  const events = [
    eventOf('workflow_run', runPayload({ status: 'queued' }), 1),
    eventOf('workflow_run', runPayload({ status: 'completed', updated_at: at(9) }), 4),
    eventOf('workflow_run', runPayload({ status: 'in_progress', display_title: 'kept' }), 2),
  ];
  const { outcomes } = new MemoryStore().record(events);
  assert.deepEqual(
    outcomes.map((result) => [result.outcome, result.outcome === 'stored' && titlesOf(result.final)]),
    [
      ['stored', []],
      ['stored', ['kept']],
      ['stale', false],
    ],
  );
});

/** A run of Gitea that fails and is run again, with this many seconds from one delivery to the next. */
function rerunAtGitea(spacing: number): MonitoringEvent[] {
  const recorded = new URL('../../test/vectors/gitea/rerun.json', import.meta.url);
  const sent = JSON.parse(readFileSync(recorded, 'utf8')) as { event: QueuedEvent; payload: object }[];
  return sent.map(({ event: eventType, payload }, index) => {
    const deliveryId = deliveryIdAt(index * spacing);
    const receivedAt = epoch + index * spacing * 1000;
    const adapter = adapterOf({ eventName: eventType, forge: 'gitea' });
    assert.ok(adapter);
    const delivery = {
      eventName: eventType,
      forge: 'gitea' as const,
      deliveryId,
      receivedAt: new Date(receivedAt),
    };
    return parsedEvent({
      eventType,
      integrationId,
      deliveryId,
      receivedAt,
      payload: adaptPayload(adapter, payload, delivery),
    });
  });
}

test('a run of Gitea that is run again, also within a second, has two attempts in any batches', () => {
  const order = rerunAtGitea(1).map((_, index) => index);
  fc.assert(
    fc.property(fc.subarray(order.slice(1)), fc.constantFrom(0.1, 10), (starts, spacing) => {
      const events = rerunAtGitea(spacing);
      const store = new MemoryStore();
      for (const [index, start] of [0, ...starts].entries()) store.record(events.slice(start, starts[index]));
      const { workflow_run: runs, workflow_job: jobs } = store.rows();
      assert.deepEqual(
        runs.map(({ attempt, status, conclusion }) => [attempt, status, conclusion]),
        [[2, 'completed', 'success']],
      );
      assert.deepEqual(
        jobs.map(({ jobId, attempt, conclusion }) => `${jobId} ${attempt} ${conclusion}`).sort(),
        ['1 1 success', '1 2 success', '2 1 failure', '2 2 success'],
      );
    }),
    { numRuns: 500 },
  );
});
