import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import {
  at,
  deploymentPayload,
  eventOf,
  jobPayload,
  pullRequestPayload,
  reviewPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { reduceEvents } from '#server/events/reduce-events.ts';
import { mapObjects } from '#server/events/types/objects.ts';

const nothing = { ...mapObjects(() => []), runsOfJobs: new Map() };

type Made = [payload: unknown, deliveredAt?: number];

/** Asserts that `newer` wins in both orders, and the reason why `older` is stale. */
function beats(type: QueuedEvent, newer: Made, older: Made, reason: string): void {
  const [first, second] = [eventOf(type, ...older), eventOf(type, ...newer)];
  assert.deepEqual(outcomes([first, second]), ['stored', 'stored']);
  assert.deepEqual(outcomes([second, first]), ['stored', reason]);
}

function outcomes(events: MonitoringEvent[]): string[] {
  return reduceEvents(nothing, events).outcomes.map((result) =>
    result.outcome === 'stale' ? result.reason : result.outcome,
  );
}

test('run: a higher attempt wins, even if it is not completed, older and delivered earlier', () => {
  beats(
    'workflow_run',
    [runPayload({ run_attempt: 2, updated_at: at(1) }), 1],
    [runPayload({ run_attempt: 1, status: 'completed', updated_at: at(9) }), 9],
    'earlier_attempt_updated',
  );
});

test('run: within an attempt completed wins, even with an earlier updated_at', () => {
  beats(
    'workflow_run',
    [runPayload({ status: 'completed', updated_at: at(1) }), 1],
    [runPayload({ status: 'in_progress', updated_at: at(9) }), 9],
    'already_completed',
  );
});

test('run: then the later updated_at wins, even with a lower status', () => {
  beats(
    'workflow_run',
    [runPayload({ status: 'queued', updated_at: at(2) }), 1],
    [runPayload({ status: 'in_progress', updated_at: at(1) }), 9],
    'older_update',
  );
  beats(
    'workflow_run',
    [runPayload({ status: 'completed', conclusion: 'failure', updated_at: at(2) }), 1],
    [runPayload({ status: 'completed', conclusion: 'success', updated_at: at(1) }), 9],
    'older_update',
  );
});

for (const [lower, higher] of [
  ['requested', 'queued'],
  ['requested', 'pending'],
  ['requested', 'waiting'],
  ['requested', 'a status that is new'],
  ['queued', 'in_progress'],
  ['pending', 'in_progress'],
  ['waiting', 'in_progress'],
] as const) {
  test(`run: in the same second ${higher} wins over ${lower}`, () => {
    beats(
      'workflow_run',
      [runPayload({ status: higher }), 1],
      [runPayload({ status: lower }), 9],
      'earlier_status',
    );
  });
}

test('run: the delivery time orders queued, pending and waiting of the same second', () => {
  beats(
    'workflow_run',
    [runPayload({ status: 'queued' }), 2],
    [runPayload({ status: 'waiting' }), 1],
    'earlier_delivery',
  );
  beats(
    'workflow_run',
    [runPayload({ status: 'pending' }), 2],
    [runPayload({ status: 'queued' }), 1],
    'earlier_delivery',
  );
});

test('run: without updated_at, as Gitea sends it, the status decides', () => {
  beats(
    'workflow_run',
    [runPayload({ status: 'in_progress', updated_at: undefined }), 1],
    [runPayload({ status: 'queued', updated_at: undefined }), 9],
    'earlier_status',
  );
});

test('job: completed is final', () => {
  for (const status of ['queued', 'waiting', 'in_progress']) {
    beats(
      'workflow_job',
      [jobPayload({ status: 'completed' }), 1],
      [jobPayload({ status }), 9],
      'already_completed',
    );
  }
});

test('job: in_progress wins over queued and waiting with any deployment', () => {
  const deployment = { updated_at: at(99) };
  for (const status of ['queued', 'waiting', 'pending']) {
    beats(
      'workflow_job',
      [jobPayload({ status: 'in_progress' }), 1],
      [jobPayload({ status }, { deployment }), 9],
      'earlier_status',
    );
  }
});

test('job: between queued and waiting the later deployment wins, then the later delivery', () => {
  const waiting = jobPayload({ status: 'waiting' }, { deployment: { updated_at: at(1) } });
  const released = jobPayload({ status: 'queued' }, { deployment: { updated_at: at(2) } });
  beats('workflow_job', [released, 1], [waiting, 9], 'older_update');
  beats(
    'workflow_job',
    [waiting, 9],
    [jobPayload({}, { deployment: { updated_at: at(1) } }), 1],
    'earlier_delivery',
  );
  beats(
    'workflow_job',
    [jobPayload({ status: 'queued' }), 2],
    [jobPayload({ status: 'waiting' }), 1],
    'earlier_delivery',
  );
});

test('job: after the start the delivery time decides, with any deployment', () => {
  for (const status of ['in_progress', 'completed']) {
    const deployed = jobPayload({ status }, { deployment: { updated_at: at(99) } });
    beats('workflow_job', [jobPayload({ status }), 2], [deployed, 1], 'earlier_delivery');
  }
});

test('job: each attempt is its own job', () => {
  const events = [1, 2].map((run_attempt) => eventOf('workflow_job', jobPayload({ run_attempt })));
  assert.deepEqual(outcomes(events), ['stored', 'stored']);
});

test('pull request: the later updated_at wins, then the later delivery', () => {
  beats(
    'pull_request',
    [pullRequestPayload({ updated_at: at(2) }), 1],
    [pullRequestPayload(), 9],
    'older_update',
  );
  beats(
    'pull_request',
    [pullRequestPayload({ title: 'Two' }), 2],
    [pullRequestPayload(), 1],
    'earlier_delivery',
  );
});

test('review: updated_at decides, else submitted_at; then the state; then the delivery', () => {
  const edited = reviewPayload({ submitted_at: at(0), updated_at: at(5) });
  beats('pull_request_review', [edited, 1], [reviewPayload({ submitted_at: at(4) }), 9], 'older_update');
  beats('pull_request_review', [reviewPayload({ submitted_at: at(6) }), 1], [edited, 9], 'older_update');
  for (const state of ['commented', 'approved', 'changes_requested', 'pending']) {
    beats(
      'pull_request_review',
      [reviewPayload({ state: 'dismissed' }), 1],
      [reviewPayload({ state }), 9],
      'earlier_status',
    );
  }
  beats(
    'pull_request_review',
    [reviewPayload({ state: 'approved' }), 2],
    [reviewPayload(), 1],
    'earlier_delivery',
  );
});

test('deployment: any other state beats inactive; then updated_at, the id of the status and the delivery decide', () => {
  const type = 'deployment_status';
  const inactive = deploymentPayload({ id: 9, state: 'inactive', updated_at: at(9) });
  beats(type, [deploymentPayload({ updated_at: at(1) }), 1], [inactive, 9], 'already_completed');
  const failed = deploymentPayload({ id: 1, state: 'failure', updated_at: at(5) });
  beats(type, [failed, 1], [deploymentPayload({ id: 2, updated_at: at(4) }), 9], 'older_update');
  beats(type, [deploymentPayload({ id: 2, updated_at: at(5) }), 1], [failed, 9], 'earlier_status');
  beats(type, [failed, 2], [failed, 1], 'earlier_delivery');
});

test('the stored row wins a tie: a repeated delivery is stale', () => {
  const events: MonitoringEvent[] = [
    eventOf('workflow_run', runPayload()),
    eventOf('workflow_job', jobPayload()),
    eventOf('pull_request', pullRequestPayload()),
    eventOf('pull_request_review', reviewPayload()),
    eventOf('deployment_status', deploymentPayload()),
  ];
  for (const event of events) assert.deepEqual(outcomes([event, event]), ['stored', 'same_event']);
});
