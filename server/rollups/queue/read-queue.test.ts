import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { isLongWait, Queue, type QueueQuery } from '#contract/metrics/queue.ts';
import { listJobs } from '#server/runs/jobs/list-jobs.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { greenBuild, jobOf } from '#test/support/data/completions.ts';
import {
  at,
  epoch,
  eventOf,
  integrationId,
  jobPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { createMetricsReader } from '#test/support/data/reading/metrics-reader.ts';
import { readQueue } from './read-queue.ts';

const { database, record, emptyAll } = await createMetricsReader();
const check = Compile(Queue);
const day = 86_400;
const nowSeconds = 100 * day;
const now = epoch + nowSeconds * 1000;
/** Usual waits are those of fourteen days of UTC, with today. */
const from = Math.floor(now / (day * 1000) - 13) * day * 1000;

async function queue(query: QueueQuery = {}): Promise<Queue> {
  const answer = await database.api.withScope({ integrationId }, (tx) =>
    readQueue(tx, integrationId, query, now, new DashboardCache()),
  );
  assert.ok(check.Check(answer), JSON.stringify([...check.Errors(answer)]));
  return answer;
}

const labelSets = [['linux', 'self-hosted'], ['self-hosted', 'linux'], ['gpu'], []];

interface Job {
  status: 'queued' | 'requested' | 'waiting' | 'pending' | 'in_progress' | 'completed';
  labels: readonly string[];
  /** Seconds before now. */
  age: number;
  /** What became of the attempt. `unknown`: no event of the run arrived. */
  run: 'open' | 'completed' | 'run again' | 'unknown';
  runner: { id: number | null; name: string } | null;
  repository: string;
}

const job: fc.Arbitrary<Job> = fc.record({
  status: fc.constantFrom(
    'queued',
    'queued',
    'requested',
    'waiting',
    'pending',
    'in_progress',
    'in_progress',
    'completed',
  ),
  labels: fc.constantFrom(...labelSets),
  age: fc.oneof(fc.integer({ min: 0, max: 2 * day }), fc.integer({ min: 0, max: 40 * day })),
  run: fc.constantFrom('open', 'open', 'open', 'completed', 'run again', 'unknown'),
  runner: fc.option(fc.record({ id: fc.constantFrom(null, 1, 2), name: fc.constantFrom('big', 'small') }), {
    nil: null,
  }),
  repository: fc.constantFrom('acme/site', 'acme/shop', 'other/site'),
});

/** Waits in seconds of jobs that completed this many days ago. */
const past = fc.array(
  fc.record({
    labels: fc.constantFrom(...labelSets),
    waited: fc.integer({ min: 0, max: 600 }),
    daysAgo: fc.integer({ min: 1, max: 20 }),
    conclusion: fc.constantFrom('success', 'failure', 'cancelled', 'skipped'),
  }),
  { maxLength: 25 },
);

function eventsOf(jobs: readonly Job[], done: typeof past extends fc.Arbitrary<infer T> ? T : never) {
  const open = jobs.flatMap(({ status, labels, age, run, runner, repository }, index) => {
    const of = {
      repository: { id: repository.length * 7 + repository.charCodeAt(5), full_name: repository },
    };
    const [id, created_at] = [index + 1, at(nowSeconds - age)];
    const ran = status === 'in_progress' || status === 'completed';
    const fields = { id, run_id: id, status, labels, created_at, started_at: created_at };
    const took = ran && runner !== null ? { runner_id: runner.id, runner_name: runner.name } : {};
    const ended = { conclusion: 'success', completed_at: at(nowSeconds - age + 1) };
    const times = { id, created_at, updated_at: created_at };
    const runs = {
      unknown: [],
      open: [{ ...times, status: 'in_progress' }],
      completed: [{ ...times, status: 'completed', conclusion: 'cancelled' }],
      'run again': [{ ...times, run_attempt: 2, status: 'queued' }],
    }[run];
    return [
      ...runs.map((fields_) => eventOf('workflow_run', runPayload(fields_, of))),
      eventOf(
        'workflow_job',
        jobPayload({ ...fields, ...took, ...(status === 'completed' ? ended : {}) }, of),
      ),
    ];
  });
  const completed = done.map(({ labels, waited, daysAgo, conclusion }, index) =>
    jobOf({
      ...greenBuild,
      id: 1000 + index,
      labels,
      conclusion,
      queuedSeconds: waited,
      startSeconds: nowSeconds - daysAgo * day,
    }),
  );
  return [...open, ...completed];
}

const textOf = (labels: readonly string[]) => labels.toSorted().join(', ');

test('figures and lists of the queue are those of the open jobs, and usual times those of the jobs that a runner took', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 12 }), past, async (jobs, done) => {
      await emptyAll();
      const events = eventsOf(jobs, done);
      if (events.length > 0) await record(...events);
      const answer = await queue();
      assert.equal(Date.parse(answer.from), from);

      const isOpen = ({ status, run, age }: Job) =>
        status !== 'completed' && run !== 'completed' && run !== 'run again' && age < 35 * day;
      const open = jobs
        .map((each, index) => ({ ...each, id: index + 1, text: textOf(each.labels) }))
        .filter(isOpen);
      const running = open.filter(({ status }) => status === 'in_progress');
      const held = open.filter(({ status }) => status === 'waiting' || status === 'pending');
      const waiting = open.filter(
        ({ status, age }) => (status === 'queued' || status === 'requested') && age < day,
      );
      assert.deepEqual(
        [answer.waiting, answer.held, answer.running],
        [waiting.length, held.length, running.length],
      );
      const ids = (list: readonly { id: number; age: number }[]) =>
        list.toSorted((a, b) => b.age - a.age || a.id - b.id).map(({ id }) => id);
      assert.deepEqual(
        answer.waitingJobs.map(({ jobId }) => jobId),
        ids(waiting),
      );
      assert.deepEqual(
        answer.heldJobs.map(({ jobId }) => jobId),
        ids(held),
      );

      const runnerOf = ({ runner, repository }: Job) =>
        runner && `${repository.split('/')[0]} ${runner.id} ${runner.name}`;
      const busy = new Set(running.map(runnerOf).filter((each) => each !== null));
      assert.equal(answer.busyRunners, busy.size);
      assert.deepEqual(
        answer.runningJobs.map(({ jobId, runnerName }) => [jobId, runnerName]),
        ids(running).map((id) => [id, jobs[id - 1]?.runner?.name ?? null]),
      );

      assert.deepEqual(
        new Set(answer.labels.map(({ runner }) => runner)),
        new Set([...waiting, ...running].map(({ text }) => text)),
      );
      for (const set of answer.labels) {
        const own = waiting.filter(({ text }) => text === set.runner);
        assert.equal(set.waiting, own.length);
        assert.equal(set.running, running.filter(({ text }) => text === set.runner).length);
        const longest = Math.max(...own.map(({ age }) => age));
        assert.equal(
          set.since === null ? null : Date.parse(set.since),
          own.length === 0 ? null : now - longest * 1000,
        );

        const waits = done
          .filter(
            ({ labels, daysAgo, conclusion }) =>
              textOf(labels) === set.runner &&
              daysAgo <= 13 &&
              !['cancelled', 'skipped'].includes(conclusion),
          )
          .map(({ waited }) => waited * 1000)
          .toSorted((a, b) => a - b);
        const isNear = (value: number | null, share: number) => {
          const exact = waits[Math.ceil(waits.length * share) - 1];
          return exact === undefined
            ? value === null
            : value !== null && Math.abs(value - exact) <= exact * 0.03 + 1;
        };
        // Jobs of the list can have completed in these days too.
        const completed = jobs.filter(
          ({ status, labels, age }) =>
            status === 'completed' && now - (age - 1) * 1000 >= from && textOf(labels) === set.runner,
        );
        assert.equal(set.usual.count, waits.length + completed.length);
        if (completed.length === 0) {
          assert.ok(isNear(set.usual.p50, 0.5), `p50 ${set.usual.p50} of ${String(waits)}`);
          assert.ok(waits.length < 10 ? set.usual.p90 === null : isNear(set.usual.p90, 0.9));
        }
        const { items } = await database.api.withScope({ integrationId }, (tx) =>
          listJobs(tx, integrationId, {
            runner: set.runner,
            queueTime: 'counted',
            completedFrom: answer.from,
            completedTo: answer.to,
          }),
        );
        assert.equal(items.length, set.usual.count);
        const filtered = await queue({ runner: set.runner, limit: 1 });
        assert.equal(filtered.waitingJobs.length, Math.min(1, set.waiting));
        assert.equal(filtered.waiting, answer.waiting);
      }
    }),
    { numRuns: 40 },
  );
});

test('a wait is long when it is longer than nine of ten waits of these labels, and never without enough of them', () => {
  const usual = { count: 10, p50: 1000, p90: 5000 };
  const labels = { runner: 'gpu', waiting: 1, running: 0, since: new Date(now - 5001).toISOString(), usual };
  assert.equal(isLongWait(labels, now), true);
  assert.equal(isLongWait({ ...labels, since: new Date(now - 5000).toISOString() }, now), false);
  assert.equal(isLongWait({ ...labels, usual: { ...usual, p90: null } }, now), false);
  assert.equal(isLongWait({ ...labels, since: null }, now), false);
});
