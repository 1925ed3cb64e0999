import * as fc from 'fast-check';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import {
  at,
  deploymentPayload,
  eventOf,
  jobPayload,
  pullRequestPayload,
  reviewPayload,
  runPayload,
} from './forge-events.ts';

/**
 * Events that contradict each other in every way: few objects, few values, anything may be missing, and times so coarse
 * that ties are common. Whatever a forge sends of one life, in whatever order, is tamer.
 */

const time = fc.option(fc.integer({ min: 0, max: 4 }).map((step) => at(step * 1800)));
const word = fc.option(fc.constantFrom('a', 'b', 'c'));
const user = word.map((login) => login && { login, avatar_url: `https://forge.test/${login}.png` });
const status = fc.constantFrom(
  'requested',
  'queued',
  'waiting',
  'in_progress',
  'completed',
  'completed',
  'new',
);
const conclusion = fc.option(fc.constantFrom('success', 'failure', 'skipped', 'cancelled'));
const attempt = fc.integer({ min: 1, max: 3 });
const deliveredAt = fc.integer({ min: 0, max: 3 });
const labels = fc
  .subarray(['linux', 'x64', 'gpu'], { minLength: 0 })
  .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));

const steps = fc.array(
  fc.record({
    number: fc.integer({ min: 1, max: 4 }),
    name: fc.constantFrom('check out', 'test'),
    status,
    conclusion,
    started_at: time,
    completed_at: time,
  }),
  { maxLength: 4 },
);

const run = fc.record({
  id: fc.constantFrom(100, 101),
  run_attempt: attempt,
  status,
  conclusion,
  created_at: time,
  updated_at: time,
  run_started_at: time,
  run_number: fc.option(fc.integer({ min: 1, max: 2 })),
  // A run always tells its workflow, which its jobs take over.
  name: fc.constantFrom('a', 'b', 'c'),
  display_title: word,
  head_branch: fc.option(fc.constantFrom('main', 'topic')),
  // Of a fork too, whose branch may be called as ours.
  head_repository: fc.constantFrom(
    undefined,
    { id: 7, full_name: 'acme/site' },
    { id: 8, full_name: 'bob/site' },
  ),
  head_sha: word,
  head_commit: word.map((message) => message && { message }),
  actor: user,
  triggering_actor: user,
  html_url: word,
  pull_requests: fc.subarray([{ number: 5 }, { number: 6 }]),
});

const job = fc.record({
  id: fc.constantFrom(200, 201),
  run_attempt: fc.integer({ min: 1, max: 2 }),
  status,
  conclusion,
  created_at: time,
  started_at: time,
  completed_at: time,
  name: fc.constantFrom('build', 'test'),
  workflow_name: word,
  head_branch: fc.option(fc.constantFrom('main', 'topic')),
  runner_name: word,
  runner_group_name: word,
  labels,
  steps,
});

const pullRequest = fc.record({
  number: fc.constantFrom(5, 6),
  title: word,
  state: fc.constantFrom('open', 'closed'),
  merged: fc.boolean(),
  labels: labels.map((list) => list.map((name) => ({ name }))),
  updated_at: time,
  user,
});

const review = fc.record({
  id: fc.constantFrom(300, 301),
  state: fc.constantFrom('commented', 'approved', 'dismissed'),
  body: word,
  submitted_at: time,
  updated_at: time,
  user,
});

const deploymentStatus = fc.record({
  id: fc.integer({ min: 400, max: 403 }),
  state: fc.constantFrom('queued', 'in_progress', 'success', 'failure', 'error', 'inactive'),
  environment: word,
  updated_at: time,
  log_url: word,
});

const deployment = time.map((updated_at) => (updated_at === null ? {} : { deployment: { updated_at } }));

export const arbitraryRun: fc.Arbitrary<MonitoringEvent> = fc
  .tuple(run, deliveredAt)
  .map(([fields, delivered]) => eventOf('workflow_run', runPayload(fields), delivered));

export const arbitraryJob: fc.Arbitrary<MonitoringEvent> = fc
  .tuple(job, deployment, deliveredAt)
  .map(([fields, rest, delivered]) => eventOf('workflow_job', jobPayload(fields, rest), delivered));

export const arbitraryEvent: fc.Arbitrary<MonitoringEvent> = fc.oneof(
  arbitraryRun,
  arbitraryJob,
  fc
    .tuple(pullRequest, deliveredAt)
    .map(([fields, delivered]) => eventOf('pull_request', pullRequestPayload(fields), delivered)),
  fc
    .tuple(review, deliveredAt)
    .map(([fields, delivered]) => eventOf('pull_request_review', reviewPayload(fields), delivered)),
  fc
    .tuple(deploymentStatus, fc.constantFrom(40, 41), fc.constantFrom(undefined, { id: 100, run_attempt: 2 }), deliveredAt)
    .map(([status, id, workflow_run, delivered]) =>
      eventOf('deployment_status', deploymentPayload(status, { id }, { workflow_run }), delivered),
    ),
);

/** The same events shuffled, with some of them repeated, cut into batches of 1 to 10. */
export function arbitraryBatches(events: readonly MonitoringEvent[]): fc.Arbitrary<MonitoringEvent[][]> {
  return fc
    .tuple(
      fc.subarray([...events]).chain((repeated) => shuffled([...events, ...repeated])),
      fc.array(fc.integer({ min: 1, max: 10 }), {
        minLength: events.length * 2,
        maxLength: events.length * 2,
      }),
    )
    .map(([list, sizes]) => {
      const batches: MonitoringEvent[][] = [];
      for (let start = 0; start < list.length; start += batches.at(-1)!.length)
        batches.push(list.slice(start, start + sizes[batches.length]!));
      return batches;
    });
}

function shuffled<T>(list: T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length });
}
