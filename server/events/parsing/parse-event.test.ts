import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { poisoned } from '#test/support/data/poison.ts';
import {
  at,
  epoch,
  eventOf,
  integrationId,
  jobPayload,
  pullRequestPayload,
  reviewPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { webhookExamples } from '#test/support/data/webhook-examples.ts';
import * as fc from 'fast-check';
import { parseEvent } from './parse-event.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { RunRow } from '#server/runs/objects/run.ts';

function parse(eventType: QueuedEvent, payload: unknown) {
  return parseEvent({ eventType, integrationId, deliveryId: null, receivedAt: epoch, payload });
}

function job(fields: Record<string, unknown>, rest = {}): JobRow {
  return (eventOf('workflow_job', jobPayload(fields, rest)) as { row: JobRow }).row;
}

function run(fields: Record<string, unknown>, rest = {}): RunRow {
  return (eventOf('workflow_run', runPayload(fields, rest)) as { row: RunRow }).row;
}

test('every published example parses', () => {
  const examples = webhookExamples();
  assert.ok(examples.length >= 78);
  for (const { name, eventType, payload } of examples) {
    const result = parse(eventType, payload);
    assert.ok(result.ok, `${name}: ${JSON.stringify(result)}`);
  }
});

test('a run named after its unreadable workflow file gets the name of the workflow', () => {
  const path = '.github/workflows/ci.yml';
  const failed = { name: path, path, status: 'completed', conclusion: 'startup_failure' };
  assert.equal(run(failed, { workflow: { name: 'CI', path } }).workflowName, 'CI');
  assert.equal(run(failed).workflowName, path);
  assert.equal(run({ name: 'Deploy v1', path }, { workflow: { name: 'CI', path } }).workflowName, 'CI');
});

test('parsing refuses an invalid required field and names it without its value', () => {
  const wrongIds = [undefined, null, '1', 0, -1, 1.5, 2 ** 53, JSON.parse('1e400'), {}, []];
  const cases: [QueuedEvent, (value: unknown) => object, string, unknown[]][] = [
    ['workflow_run', (id) => runPayload({ id }), 'workflow_run.id', wrongIds],
    [
      'workflow_run',
      (run_attempt) => runPayload({ run_attempt }),
      'workflow_run.run_attempt',
      ['1', 2 ** 31],
    ],
    ['workflow_run', (status) => runPayload({ status }), 'workflow_run.status', [undefined, null, '', 5, {}]],
    [
      'workflow_run',
      (workflow_run) => ({ ...runPayload(), workflow_run }),
      'workflow_run',
      [undefined, null, [], 'x'],
    ],
    ['workflow_run', (repository) => runPayload({}, { repository }), 'repository', [undefined, null, 5]],
    [
      'workflow_run',
      (full_name) => runPayload({}, { repository: { full_name } }),
      'repository.full_name',
      [null, '', 5],
    ],
    ['workflow_job', (id) => jobPayload({ id }), 'workflow_job.id', wrongIds],
    ['workflow_job', (run_id) => jobPayload({ run_id }), 'workflow_job.run_id', wrongIds],
    ['workflow_job', (run_attempt) => jobPayload({ run_attempt }), 'workflow_job.run_attempt', [true, -1]],
    [
      'pull_request',
      (number) => ({ ...pullRequestPayload({ number }), number }),
      'pull_request.number',
      wrongIds,
    ],
    ['pull_request_review', (id) => reviewPayload({ id }), 'review.id', wrongIds],
    [
      'pull_request_review',
      (number) => reviewPayload({}, { pull_request: { number } }),
      'pull_request.number',
      wrongIds,
    ],
  ];
  for (const [type, make, field, values] of cases) {
    for (const value of values) {
      const result = parse(type, make(value));
      assert.ok(!result.ok, `${field} ${String(value)}`);
      assert.equal(result.reason, 'invalid_payload');
      assert.match(result.detail, new RegExp(`^${field.replaceAll('.', '\\.')}: must be [a-z0-9 ^\\-]+$`));
    }
  }
  for (const payload of [undefined, null, 'x', 5, [], true])
    assert.equal(parse('workflow_run', payload).ok, false);
});

test('parsing accepts unknown fields, actions and statuses, and ignores optional fields of the wrong type', () => {
  const parsed = run({
    status: 'thinking',
    conclusion: 5,
    display_title: {},
    run_number: 'x',
    head_commit: 'x',
    pull_requests: 'x',
    updated_at: 'yesterday',
    surprise: { deep: [] },
  });
  assert.equal(parsed.status, 'thinking');
  const { conclusion, title, runNumber, commitMessage, pullRequests, updatedAt } = parsed;
  assert.deepEqual(
    { conclusion, title, runNumber, commitMessage, pullRequests, updatedAt },
    {
      conclusion: null,
      title: null,
      runNumber: null,
      commitMessage: null,
      pullRequests: [],
      updatedAt: null,
    },
  );
});

test('parsed texts have no NUL and no lone surrogate, and are truncated between characters', () => {
  assert.equal(run({ display_title: 'a\0b' }).title, 'a\uFFFDb');
  assert.equal(run({ display_title: 'a\ud800b' }).title, 'a\uFFFDb');
  assert.equal(run({ display_title: 'x'.repeat(1 << 20) }).title?.length, 1024);
  assert.equal(run({ display_title: `${'x'.repeat(1023)}😀` }).title, 'x'.repeat(1023));
  assert.equal(run({ display_title: `${'x'.repeat(1022)}😀` }).title, `${'x'.repeat(1022)}😀`);
  assert.equal(run({ head_branch: 'x'.repeat(300) }).headBranch?.length, 255);
  assert.equal(run({ head_commit: { message: 'x'.repeat(9999) } }).commitMessage?.length, 4096);
  assert.equal(run({ display_title: '' }).title, null);
});

test('times need a zone, keep their milliseconds and are null when out of range', () => {
  const readings: [unknown, number | null][] = [
    ['2026-01-05T10:00:00Z', epoch],
    ['2026-01-05T10:00:00.250Z', epoch + 250],
    ['2026-01-05T10:00:00.25Z', epoch + 250],
    ['2026-01-05T12:00:00+02:00', epoch],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2026-01-05T10:00:00', null],
    ['2026-13-05T10:00:00Z', null],
    ['0001-01-01T00:00:00Z', null],
    ['1970-01-01T00:00:00Z', null],
    ['1970-01-01T01:00:00+01:00', null],
    ['1970-01-01T00:00:01Z', 1000],
    ['9999-12-31T23:59:59Z', 253_402_300_799_000],
    ['9999-12-31T23:59:59-23:59', null],
    ['+275760-09-13T00:00:00Z', null],
    ['12', null],
    ['', null],
    [epoch, null],
    [null, null],
  ];
  for (const [value, expected] of readings)
    assert.equal(run({ run_started_at: value }).startedAt, expected, String(value));
});

test('steps and labels are bounded, ordered and unique; of two steps with one number the later status wins', () => {
  const many = Array.from({ length: 1500 }, (_, index) => ({
    number: 1500 - index,
    name: 'x',
    status: 'completed',
  }));
  const { steps } = job({ steps: [...many, 5, null] });
  assert.equal(steps.length, 1000);
  assert.deepEqual([steps[0]?.number, steps[999]?.number], [501, 1500]);
  const twice = job({
    steps: [1, 1].map((number, index) => ({ number, status: ['completed', 'queued'][index] })),
  });
  assert.deepEqual(
    twice.steps.map(({ status }) => status),
    ['completed'],
  );
  assert.deepEqual(job({ labels: ['b', 'a', 'b', 5, ''] }).labels, ['a', 'b']);
  assert.equal(job({ labels: Array.from({ length: 300 }, (_, index) => `l${index}`) }).labels.length, 100);
});

test('a run without a creation time uses its start, its last update or its delivery time', () => {
  const times = { created_at: undefined, run_started_at: at(5), updated_at: at(9) };
  assert.equal(run(times).createdAt, epoch + 5000);
  assert.equal(run({ ...times, run_started_at: null }).createdAt, epoch + 9000);
  assert.equal(run({ created_at: null, updated_at: null }).createdAt, epoch);
});

test('a start after the end is no start', () => {
  const ended = { status: 'completed', conclusion: 'cancelled', completed_at: at(10) };
  assert.equal(job({ ...ended, started_at: at(11) }).startedAt, null);
  assert.equal(job({ ...ended, started_at: at(10) }).startedAt, epoch + 10_000);
});

test('a job has no start until a runner picks it up, even if started_at is set', () => {
  for (const status of ['queued', 'waiting', 'pending'])
    assert.equal(job({ status, started_at: at(0) }).startedAt, null);
  for (const status of ['in_progress', 'completed'])
    assert.equal(job({ status, started_at: at(5) }).startedAt, epoch + 5000);
});

test('parsing reads the status and ignores the action', () => {
  assert.equal(job({ status: 'waiting' }, { action: 'queued' }).status, 'waiting');
  const waitsForApproval = run(
    { status: 'completed', conclusion: 'action_required' },
    { action: 'requested' },
  );
  assert.deepEqual([waitsForApproval.status, waitsForApproval.completedAt], ['completed', epoch]);
  assert.equal(run({ status: 'queued' }, { action: 'completed' }).completedAt, null);
});

test("a fork's branch with the name of our default branch is not our default branch", () => {
  assert.equal(run({ head_branch: 'main', head_repository: { id: 7 } }).onDefaultBranch, true);
  assert.equal(run({ head_branch: 'main', head_repository: { id: 8 } }).onDefaultBranch, false);
  assert.equal(run({ head_branch: 'main', head_repository: null }).onDefaultBranch, false);
  assert.equal(run({ head_branch: 'topic', head_repository: { id: 7 } }).onDefaultBranch, false);
  // Null is of a fork that the forge does not name, and nothing at all is ours.
  assert.equal(run({ head_repository: null }).headRepository, 'fork');
  assert.equal(run({ head_repository: undefined }).headRepository, null);
});

test('the state of a review is read in upper and lower case', () => {
  const review = eventOf('pull_request_review', reviewPayload({ state: 'CHANGES_REQUESTED' }));
  assert.equal(review.type === 'pull_request_review' && review.row.state, 'changes_requested');
});

test('a run ignores pull requests of other repositories with the same head', () => {
  const pull_requests = [
    { number: 6, base: { repo: { id: 7 } } },
    { number: 5, base: { repo: { id: 7 } } },
    { number: 9, base: { repo: { id: 8 } } },
  ];
  assert.deepEqual(run({ pull_requests }).pullRequests, [5, 6]);
});

test('parsing never throws, with any value in any place of a payload', () => {
  fc.assert(
    fc.property(poisoned(webhookExamples()), ({ eventType, payload }) => {
      const result = parse(eventType, payload);
      if (!result.ok) assert.match(result.detail, /^[a-z_.]+: must be [a-z0-9 ^-]+$/);
    }),
    { numRuns: 3000 },
  );
});
