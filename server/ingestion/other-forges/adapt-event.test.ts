import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { adaptedEvents, adapterOf, adaptPayload, forgeOf, type Delivery } from './adapt-event.ts';

const receivedAt = new Date('2026-11-20T12:00:00Z');
const delivery = (eventName: string, forge?: Delivery['forge'], deliveryId = 'd1'): Delivery => ({
  eventName,
  forge,
  deliveryId,
  receivedAt,
});

function adapted(payload: unknown, of: Delivery): Record<string, Record<string, unknown>> {
  const adapter = adapterOf(of);
  assert.ok(adapter, of.eventName);
  return adaptPayload(adapter, payload, of) as Record<string, Record<string, unknown>>;
}

test('a forge is known by its own header, and Forgejo also sends that of Gitea', () => {
  assert.equal(forgeOf({ 'x-github-event': 'push' }), undefined);
  assert.equal(forgeOf({ 'x-gitea-event': 'push', 'x-github-event': 'push' }), 'gitea');
  assert.equal(forgeOf({ 'x-forgejo-event': 'push', 'x-gitea-event': 'push' }), 'forgejo');
});

test('GitHub needs no adapter, and no event is named after a member of Object', () => {
  for (const eventName of [
    'workflow_run',
    'workflow_job',
    'push',
    'constructor',
    '__proto__',
    'toString',
    '',
  ])
    for (const forge of [undefined, 'forgejo', 'gitea'] as const) {
      const isDialect = eventName.startsWith('workflow') && forge !== undefined;
      const isForgejoRun = eventName === 'workflow_run' && forge === 'forgejo';
      assert.equal(
        adapterOf({ eventName, forge }) !== undefined,
        isDialect && !isForgejoRun,
        `${forge} ${eventName}`,
      );
    }
});

test('Forgejo reports a completed run by the name of the event, unless the run says how it ended', () => {
  const run = {
    id: 7,
    index_in_repo: 3,
    workflow_id: 'ci.yml',
    prettyref: 'main',
    repository: { full_name: 'acme/site' },
  };
  const ended = (eventName: string, status?: string) => {
    const { status: now, conclusion } = adapted(
      { run: { ...run, status } },
      delivery(eventName),
    ).workflow_run!;
    return [now, conclusion];
  };
  assert.deepEqual(ended('action_run_success'), ['completed', 'success']);
  assert.deepEqual(ended('action_run_recover'), ['completed', 'success']);
  assert.deepEqual(ended('action_run_failure'), ['completed', 'failure']);
  assert.deepEqual(ended('action_run_failure', 'cancelled'), ['completed', 'cancelled']);
  assert.deepEqual(ended('action_run_success', 'running'), ['completed', 'success']);
  assert.deepEqual(ended('action_run_failure', 'constructor'), ['completed', 'failure']);
});

test('a run of a fork at Forgejo is not taken for one of the branch with its name', () => {
  const of = (fork: unknown) =>
    adapted({ run: { id: 7, is_fork_pull_request: fork } }, delivery('action_run_success')).workflow_run![
      'head_repository'
    ];
  assert.equal(of(true), null);
  assert.equal(of(false), undefined);
  assert.equal(of(undefined), undefined);
});

test('a job of Forgejo has one word for status and conclusion', () => {
  const job = (status: string) => {
    const { status: now, conclusion } = adapted(
      { workflow_job: { id: 1, status } },
      delivery('workflow_job', 'forgejo'),
    ).workflow_job!;
    return [now, conclusion];
  };
  assert.deepEqual(job('waiting'), ['queued', undefined]);
  assert.deepEqual(job('blocked'), ['waiting', undefined]);
  assert.deepEqual(job('running'), ['in_progress', undefined]);
  assert.deepEqual(job('skipped'), ['completed', 'skipped']);
  assert.deepEqual(job('in_progress'), ['in_progress', undefined], 'GitHub’s own words stay');
});

test('the zero time of Go is no time', () => {
  const { workflow_job: job } = adapted(
    {
      workflow_job: {
        status: 'running',
        started_at: '0001-01-01T00:00:00Z',
        created_at: '2026-11-20T12:00:00Z',
      },
    },
    delivery('workflow_job', 'forgejo'),
  );
  assert.deepEqual([job?.['started_at'], job?.['created_at']], [null, '2026-11-20T12:00:00Z']);
});

test('Gitea names the branch or the pull request of a run by its ref', () => {
  const run = (path: string, head_branch?: string) => {
    const payload = { workflow: {}, workflow_run: { path, head_branch } };
    const read = adapted(payload, delivery('workflow_run', 'gitea')).workflow_run!;
    return [read['path'], read['head_branch'], read['pull_requests']];
  };
  assert.deepEqual(run('ci.yml@refs/heads/main'), ['ci.yml', 'main', []]);
  assert.deepEqual(run('ci.yml@refs/heads/release/1.0'), ['ci.yml', 'release/1.0', []]);
  assert.deepEqual(run('ci.yml@refs/tags/v1'), ['ci.yml', 'v1', []]);
  assert.deepEqual(run('ci.yml@refs/pull/12/head'), ['ci.yml', '#12', [{ number: 12 }]]);
  assert.deepEqual(run('ci.yml@refs/heads/main', 'dev'), ['ci.yml', 'dev', []]);
  assert.deepEqual(run('odd@name.yml@refs/heads/main'), ['odd@name.yml', 'main', []]);
});

test('Gitea numbers no attempts', () => {
  const run = (run_attempt: unknown) =>
    adapted({ workflow_run: { run_attempt } }, delivery('workflow_run', 'gitea')).workflow_run![
      'run_attempt'
    ];
  assert.deepEqual([run(0), run(undefined), run(2)], [null, null, 2]);
  const { workflow_job: job } = adapted(
    { workflow_job: { run_attempt: 3 } },
    delivery('workflow_job', 'gitea'),
  );
  assert.equal(job?.['run_attempt'], null);
});

test('a review gets an id of its delivery, the same at each repetition and another one for others', () => {
  const idOf = (deliveryId: string) =>
    adapted({ review: { content: 'ok' } }, delivery('pull_request_approved', 'gitea', deliveryId)).review![
      'id'
    ];
  assert.equal(idOf('a'), idOf('a'));
  assert.notEqual(idOf('a'), idOf('b'));
  fc.assert(
    fc.property(fc.string(), (deliveryId) => {
      const id = idOf(deliveryId);
      assert.ok(Number.isSafeInteger(id) && (id as number) > 0);
    }),
  );
});

test('each event of a review has its state', () => {
  const stateOf = (eventName: string) => adapted({}, delivery(eventName, 'forgejo')).review!['state'];
  assert.equal(stateOf('pull_request_approved'), 'approved');
  assert.equal(stateOf('pull_request_rejected'), 'changes_requested');
  assert.equal(stateOf('pull_request_comment'), 'commented');
});

test('no payload breaks an adapter', () => {
  const events = [...adaptedEvents, 'workflow_run', 'workflow_job'];
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom(...events),
      fc.constantFrom('gitea' as const, 'forgejo' as const),
      (value, eventName, forge) => {
        const adapter = adapterOf({ eventName, forge });
        if (adapter === undefined) return;
        for (const payload of [
          value,
          {
            workflow_run: value,
            workflow: value,
            run: value,
            review: value,
            workflow_job: value,
            pull_request: value,
          },
        ])
          assert.doesNotThrow(() =>
            JSON.stringify(adaptPayload(adapter, payload, delivery(eventName, forge))),
          );
      },
    ),
    { numRuns: 300 },
  );
});
