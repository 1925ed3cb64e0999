import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import type { SimulatedEvent } from '../event.ts';
import { sampleEvents } from '../sample-traffic.ts';
import { createSimulator } from '../simulator.ts';

type Payload<Type extends QueuedEvent> = (SimulatedEvent & { eventType: Type })['payload'];

const now = Date.parse('2026-11-22T10:00:00Z');
const samples = Array.from({ length: 10 }, (_, index) => sampleEvents(now + index * 3_600_001));

function payloads<Type extends QueuedEvent>(events: readonly SimulatedEvent[], type: Type): Payload<Type>[] {
  return events.flatMap((event) => (event.eventType === type ? [event.payload as Payload<Type>] : []));
}

function completedRuns(events: readonly SimulatedEvent[], repository: string, workflow: string) {
  return payloads(events, 'workflow_run')
    .filter(({ action }) => action === 'completed')
    .map(({ workflow_run: run }) => run)
    .filter(
      (run) => run.repository.name === repository && run.name === workflow && run.head_branch === 'main',
    );
}

function jobsOf(events: readonly SimulatedEvent[], runId: number, attempt: number) {
  return payloads(events, 'workflow_job')
    .filter(({ action }) => action === 'completed')
    .map(({ workflow_job: job }) => job)
    .filter((job) => job.run_id === runId && job.run_attempt === attempt);
}

test('sample traffic leaves a default branch broken, by the same job twice', () => {
  for (const events of samples) {
    const latest = completedRuns(events, 'billing-api', 'CI').slice(-2);
    assert.deepEqual(
      latest.map(({ conclusion }) => conclusion),
      ['failure', 'failure'],
    );
    const failed = latest.map((run) =>
      jobsOf(events, run.id, 1).filter(({ conclusion }) => conclusion === 'failure'),
    );
    assert.equal(failed.length, 2);
    assert.deepEqual(
      failed[0]!.map(({ name }) => name),
      failed[1]!.map(({ name }) => name),
    );
  }
});

test('sample traffic shows a default branch that fails and recovers with the next push', () => {
  for (const events of samples) {
    const ends = completedRuns(events, 'search', 'CI').map(({ conclusion }) => conclusion);
    assert.match(ends.join(' '), /failure failure.* success/);
  }
});

test('sample traffic shows a job that fails and passes on the same commit', () => {
  for (const events of samples) {
    const reruns = completedRuns(events, 'web-console', 'End-to-end').filter((run) => run.run_attempt === 2);
    const flaky = reruns.filter((run) => {
      const ends = [1, 2].map((attempt) =>
        jobsOf(events, run.id, attempt).find(({ name }) => name === 'browser (firefox)'),
      );
      return ends[0]?.conclusion === 'failure' && ends[1]?.conclusion === 'success';
    });
    assert.equal(flaky.length, 3);
  }
});

test('a pull request fails, is corrected, approved and merged, and its merge starts a run', () => {
  const events = createSimulator({ seed: 1, startAt: new Date(now) }).story('pullRequest');
  const runs = payloads(events, 'workflow_run').filter(({ action }) => action === 'completed');
  const line = events.flatMap(({ eventType, payload }) => {
    if (eventType === 'pull_request') return payload.action;
    if (eventType === 'pull_request_review') return payload.review.state;
    if (eventType === 'workflow_run' && payload.action === 'completed')
      return `${payload.workflow_run.name} ${payload.workflow_run.conclusion}`;
    return [];
  });
  assert.match(line.join(', '), /opened, .*CI failure, changes_requested, .*synchronize, .*CI success/);
  assert.match(line.join(', '), /approved, closed, CI success$/);
  const merge = payloads(events, 'pull_request').at(-1)!.pull_request.merge_commit_sha;
  assert.deepEqual(
    [runs.at(-1)!.workflow_run.head_branch, runs.at(-1)!.workflow_run.head_sha],
    ['main', merge],
  );
  const [check] = runs;
  assert.equal(check!.workflow_run.pull_requests[0]?.number, payloads(events, 'pull_request')[0]!.number);
});

test('a run of a fork waits for approval, has no jobs and does not name its pull request', () => {
  const events = createSimulator({ seed: 1, startAt: new Date(now) }).story('forkPullRequest');
  const runs = payloads(events, 'workflow_run').map(({ workflow_run: run }) => run);
  assert.deepEqual(new Set(runs.map(({ conclusion }) => conclusion)), new Set(['action_required']));
  assert.ok(runs.every((run) => run.head_repository.fork && run.pull_requests.length === 0));
  assert.equal(payloads(events, 'workflow_job').length, 0);
  assert.equal(payloads(events, 'pull_request').at(-1)!.pull_request.merged, false);
});

test('a production deployment waits for an approval, with a later time for each change', () => {
  const simulator = createSimulator({ seed: 1, startAt: new Date(now) });
  const jobs = Array.from({ length: 30 }, () => simulator.story('deployment')).flatMap((events) =>
    payloads(events, 'workflow_job'),
  );
  const waiting = jobs.filter(({ action }) => action === 'waiting');
  assert.ok(waiting.length > 10);
  for (const {
    workflow_job: { id },
  } of waiting) {
    const told = jobs.filter(({ workflow_job: job }) => job.id === id);
    assert.deepEqual(
      told.slice(0, 3).map(({ action, workflow_job: job }) => `${action} ${job.status}`),
      ['queued waiting', 'waiting waiting', 'queued queued'],
    );
    const times = told.map(({ deployment }) => String(deployment?.updated_at));
    assert.deepEqual(times, times.toSorted());
  }
});

test('a production deployment succeeds twice, fails, and then an older version is deployed again', () => {
  for (const events of samples) {
    const ends = payloads(events, 'deployment_status').filter(
      ({ deployment_status: { state }, deployment, repository }) =>
        deployment?.production_environment &&
        repository.name === 'web-console' &&
        ['success', 'failure'].includes(state),
    );
    const [first, second, failed, again] = ends.slice(0, 4);
    assert.deepEqual(
      [first, second, failed, again].map((end) => end?.deployment_status.state),
      ['success', 'success', 'failure', 'success'],
    );
    assert.equal(again?.deployment?.sha, first?.deployment?.sha);
    assert.notEqual(second?.deployment?.sha, first?.deployment?.sha);
    const merged = payloads(events, 'pull_request').map(({ pull_request: pull }) => pull.merge_commit_sha);
    for (const end of [first, second]) assert.ok(merged.includes(end?.deployment?.sha ?? ''));
  }
});

test('endless traffic is mostly green and shows every workflow, end and kind of event', () => {
  const simulator = createSimulator({ seed: 1, startAt: new Date(now) });
  const events = Array.from({ length: 400 }, () => simulator.story()).flat();
  const ends = payloads(events, 'workflow_run').filter(({ action }) => action === 'completed');
  const green = ends.filter(({ workflow_run: run }) => run.conclusion === 'success').length / ends.length;
  assert.ok(green > 0.65 && green < 0.9, String(green));
  const count = (values: readonly unknown[]): number => new Set(values).size;
  assert.equal(count(ends.map(({ workflow_run: run }) => run.conclusion)), 6);
  assert.equal(count(ends.map(({ workflow }) => workflow.name)), 6);
  assert.equal(count(ends.map(({ workflow_run: run }) => run.event)), 5);
  assert.equal(count(payloads(events, 'workflow_job').map(({ workflow_job: job }) => job.conclusion)), 6);
  assert.equal(count(payloads(events, 'pull_request').map(({ action }) => action)), 5);
  assert.equal(count(payloads(events, 'pull_request_review').map(({ review }) => review.state)), 4);
  assert.ok(ends.some(({ workflow_run: run }) => run.actor.type === 'Bot'));
});
