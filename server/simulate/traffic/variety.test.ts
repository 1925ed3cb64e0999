import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SimulatedEvent } from '../event.ts';
import { createSimulator } from '../lifecycle.ts';
import type { MixOptions } from './mix.ts';

const startAt = new Date('2026-11-20T10:00:00Z');

function eventsOf(seed: number, lifecycles = 200): SimulatedEvent[] {
  const simulator = createSimulator({ seed, startAt });
  return Array.from({ length: lifecycles }, () => simulator.nextLifecycle()).flat();
}

/** Labels for the cases that an event shows. */
function casesOf(event: SimulatedEvent): string[] {
  const { payload } = event;
  const cases = [`${event.eventType} ${payload.action}`];
  if ('workflow_run' in payload) {
    const run = payload.workflow_run;
    cases.push(
      `run ${run.status} ${run.conclusion}`,
      `run attempt ${run.run_attempt}`,
      `run of ${payload.workflow.name}`,
    );
    cases.push(
      `run on ${run.head_branch?.split('/')[0]}`,
      `run by ${run.actor.type}`,
      `run for ${run.event}`,
    );
    if (run.head_repository.fork) cases.push(`fork run with ${run.pull_requests.length} pull requests`);
    else if (run.pull_requests.length > 0) cases.push('run of a pull request');
  } else if ('workflow_job' in payload) {
    const job = payload.workflow_job;
    cases.push(`job ${payload.action} ${job.status} ${job.conclusion}`);
    if (job.completed_at !== null && job.completed_at < job.started_at)
      cases.push(`${job.conclusion} ends before start`);
    if (job.conclusion === 'cancelled' && job.runner_name === null) cases.push('cancelled before start');
    if (job.conclusion === 'success' && job.steps.length === 0) cases.push('steps lost');
    if (job.name.includes('(')) cases.push('matrix job');
    if ('deployment' in payload && payload.deployment !== undefined)
      cases.push(`deployment ${payload.action}`);
    for (const step of job.steps) cases.push(`step ${step.status} ${step.conclusion}`);
  } else if ('review' in payload) {
    cases.push(`review ${payload.action} ${payload.review.state}`);
  } else {
    cases.push(`pull merged ${payload.pull_request.merged}`, `pull draft ${payload.pull_request.draft}`);
    if (payload.pull_request.head.repo.fork) cases.push('pull from a fork');
  }
  return cases;
}

const wanted = [
  ...['requested', 'in_progress', 'completed'].map((action) => `workflow_run ${action}`),
  ...['queued', 'waiting', 'in_progress', 'completed'].map((action) => `workflow_job ${action}`),
  ...['opened', 'synchronize', 'labeled', 'edited', 'converted_to_draft', 'ready_for_review', 'closed'].map(
    (action) => `pull_request ${action}`,
  ),
  ...['submitted', 'edited', 'dismissed'].map((action) => `pull_request_review ${action}`),
  ...['success', 'failure', 'cancelled', 'timed_out', 'skipped', 'startup_failure', 'action_required'].map(
    (conclusion) => `run completed ${conclusion}`,
  ),
  ...['success', 'failure', 'cancelled', 'timed_out', 'skipped'].map(
    (end) => `job completed completed ${end}`,
  ),
  ...['success', 'failure', 'cancelled', 'skipped'].map((end) => `step completed ${end}`),
  ...['CI', 'Lint', 'End-to-end', 'Release', 'Deploy', 'Nightly'].map((name) => `run of ${name}`),
  ...['main', 'release', 'feature'].map((branch) => `run on ${branch}`),
  ...['push', 'pull_request', 'schedule', 'workflow_dispatch', 'release'].map((event) => `run for ${event}`),
  'run attempt 2',
  'run attempt 3',
  'run by Bot',
  'run of a pull request',
  'fork run with 0 pull requests',
  'job queued waiting null',
  'job queued queued null',
  'deployment waiting',
  'step in_progress null',
  'skipped ends before start',
  'cancelled ends before start',
  'cancelled before start',
  'matrix job',
  'steps lost',
  'pull merged true',
  'pull merged false',
  'pull draft true',
  'pull from a fork',
  'review submitted approved',
  'review submitted changes_requested',
  'review submitted commented',
];

test('two hundred lifecycles show every kind of event and every special case, whatever the seed', () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const seen = new Set(eventsOf(seed).flatMap(casesOf));
    assert.deepEqual(
      wanted.filter((kind) => !seen.has(kind)),
      [],
      `seed ${seed}`,
    );
  }
});

function greenShare(mix?: MixOptions): number {
  const simulator = createSimulator({ seed: 3, startAt, mix: { scenarios: { unapprovedFork: 0 }, ...mix } });
  const ends = Array.from({ length: 300 }, () => simulator.nextLifecycle())
    .flat()
    .flatMap((event) => (event.eventType === 'workflow_run' ? [event.payload] : []))
    .filter(({ action, workflow_run: run }) => action === 'completed' && run.run_attempt === 1);
  return ends.filter(({ workflow_run: run }) => run.conclusion === 'success').length / ends.length;
}

test('about 82 of 100 first attempts are green by default, and the mix changes that', () => {
  assert.ok(Math.abs(greenShare() - 0.82) < 0.03);
  assert.ok(Math.abs(greenShare({ outcomes: { success: 1, failure: 1 } }) - 0.1) < 0.05);
});

test('a job behind a gate is queued again after approval, with a later deployment time', () => {
  const jobs = eventsOf(4).flatMap((event) => (event.eventType === 'workflow_job' ? [event.payload] : []));
  const gated = jobs.filter(({ action }) => action === 'waiting').map(({ workflow_job: job }) => job.id);
  let approved = 0;
  for (const id of gated) {
    const [first, waiting, again] = jobs.filter(({ workflow_job: job }) => job.id === id);
    assert.deepEqual([first?.action, first?.workflow_job.status], ['queued', 'waiting']);
    if (again?.action !== 'queued') continue;
    approved += 1;
    assert.ok(again.deployment!.updated_at! > waiting!.deployment!.updated_at!);
  }
  assert.ok(approved > 0);
});
