import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, test } from 'node:test';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import type { Incident } from '#contract/alerts/incidents.ts';
import { startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { deliveryIdAt } from '#test/support/data/forge-events.ts';
import { postWebhook, signature } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

/** What a Gitea sent, in its order (`test/vectors/README.md`). */
type Sent = {
  event: string;
  payload: { action: string; workflow_run?: object; workflow_job?: { id: number } };
}[];
const read = (name: string): Sent =>
  JSON.parse(readFileSync(new URL(`../../../test/vectors/gitea/${name}`, import.meta.url), 'utf8')) as Sent;

const { program, call, items, addRule, mailsTo } = await startAlertProgram();

let integration: CreatedIntegration;
let seconds = 0;
beforeEach(async () => {
  integration = await program.createIntegration();
});

/** Some seconds after the one before. */
async function deliver({ event, payload }: Sent[number], after = 10): Promise<void> {
  seconds += after;
  const id = deliveryIdAt(seconds);
  const headers = { 'x-gitea-event': event, 'x-gitea-delivery': id };
  const answer = await postWebhook(program.baseUrl, integration, { event, payload, deliveryId: id, headers });
  assert.equal(answer.status, 200);
}

async function readRun(runId: number): Promise<WorkflowRunDetail> {
  return (await (await call(integration, 'GET', `workflows/${runId}`)).json()) as WorkflowRunDetail;
}

/** Resolves when the run stands there with this status and attempt. */
function runIs(runId: number, status: string, attempt: number): Promise<WorkflowRunDetail> {
  return waitUntil(`run ${runId} to be ${status} in attempt ${attempt}`, async () => {
    const detail = await readRun(runId);
    return detail.run?.status === status && detail.run.attempt === attempt && detail;
  });
}

const states = ({ jobs }: WorkflowRunDetail) =>
  jobs.map(({ attempt, name, status, conclusion }) => [attempt, name, conclusion ?? status].join(' '));

test('a run of Gitea is shown as it is queued, begins, fails, is run again and passes', async () => {
  const sent = read('rerun.json');
  const until = async (count: number) => {
    for (const one of sent.splice(0, count)) await deliver(one);
  };
  await until(3);
  const { run } = await runIs(1, 'queued', 1);
  assert.deepEqual(
    [run.workflowPath, run.headBranch, run.title],
    ['.gitea/workflows/ci.yml', 'main', 'Add CI'],
  );
  await until(1);
  const begun = await runIs(1, 'in_progress', 1);
  assert.equal(begun.run.startedAt, '2026-11-22T14:15:58.000Z');
  await until(5);
  const failed = await runIs(1, 'completed', 1);
  assert.equal(failed.run.conclusion, 'failure');
  assert.deepEqual(states(failed), ['1 build success', '1 test (ubuntu, 20) failure']);
  assert.deepEqual(
    failed.jobs[0]?.steps.map(({ name }) => name),
    ['Compile', 'Unit'],
  );
  await until(1);
  await runIs(1, 'queued', 2);
  await until(3);
  await runIs(1, 'in_progress', 2);
  await until(5);
  const passed = await runIs(1, 'completed', 2);
  assert.deepEqual(
    passed.attempts.map(({ attempt, conclusion }) => [attempt, conclusion]),
    [
      [1, 'failure'],
      [2, 'success'],
    ],
  );
  assert.deepEqual(states(passed).slice(2), ['2 build success', '2 test (ubuntu, 20) success']);
  assert.deepEqual(
    passed.jobs.map(({ queueMs }) => queueMs),
    [1000, 35_000, null, null],
    'the start of the wait of a repeated job is not reported',
  );
});

test('a run of Gitea that is run again within a second has two attempts', async () => {
  for (const one of read('rerun.json')) await deliver(one, 0.1);
  const passed = await runIs(1, 'completed', 2);
  assert.deepEqual(
    passed.attempts.map(({ attempt, conclusion }) => [attempt, conclusion]),
    [
      [1, 'failure'],
      [2, 'success'],
    ],
  );
  assert.deepEqual(states(passed), [
    '1 build success',
    '1 test (ubuntu, 20) failure',
    '2 build success',
    '2 test (ubuntu, 20) success',
  ]);
});

test('runs of a pull request of Gitea bear its number, and a job that was skipped is there', async () => {
  for (const one of read('pull-request.json')) await deliver(one);
  const { run, pullRequests, jobs } = await waitUntil('the run and both its jobs to be over', async () => {
    const detail = await readRun(3);
    return detail.jobs?.length === 2 && detail.jobs.every(({ conclusion }) => conclusion !== null) && detail;
  });
  assert.deepEqual([run.event, run.headBranch, run.pullRequests], ['pull_request', '#1', [1]]);
  assert.deepEqual(
    pullRequests.map(({ title }) => title),
    ['Add a'],
  );
  assert.deepEqual(
    jobs.map(({ conclusion }) => conclusion),
    ['failure', 'skipped'],
  );
});

test('a run of Gitea that breaks is one incident with its names, which ends when it is run again and passes', async () => {
  const address = 'gitea@example.com';
  const channels = [{ type: 'email' as const, to: [address] }];
  await addRule(integration, {
    workflows: { include: ['CI'], exclude: [] },
    notifyOnRecovery: true,
    channels,
  });
  const sent = today(read('rerun.json'));
  const incident = (status: Incident['status']) =>
    waitUntil(`one incident that is ${status}`, async () => {
      const all = await items<Incident>(integration, 'incidents');
      return all.length === 1 && all[0]?.status === status && all[0];
    });
  for (const one of sent.splice(0, 9)) await deliver(one);
  const { repository, workflow, branch } = await incident('open');
  assert.deepEqual([repository, workflow, branch], ['acme/shop', 'CI', 'main']);
  await waitUntil('its mail', () => mailsTo(address).length === 1);
  assert.match(mailsTo(address)[0]!.source, /test \(ubuntu, 20\)/);
  for (const one of sent) await deliver(one);
  await incident('closed');
  await waitUntil('the mail of its recovery', () => mailsTo(address).length === 2);
});

test('a job of a numbered attempt that arrives before its run belongs to that attempt, and keeps its queue time', async () => {
  const run = (run_attempt: number, status: string, more: object = {}) => ({
    event: 'workflow_run',
    payload: {
      action: status,
      repository: { id: 3, full_name: 'acme/shop', default_branch: 'main' },
      workflow: { id: 'ci.yml', name: 'CI', path: '.gitea/workflows/ci.yml' },
      workflow_run: {
        id: 501,
        run_attempt,
        status,
        path: 'ci.yml@refs/heads/main',
        head_branch: 'main',
        created_at: '2026-11-22T14:00:00Z',
        updated_at: `2026-11-22T14:0${run_attempt}:00Z`,
        ...more,
      },
    },
  });
  const job = (run_attempt: number, id: number, status: string, more: object = {}) => ({
    event: 'workflow_job',
    payload: {
      action: status,
      repository: { id: 3, full_name: 'acme/shop', default_branch: 'main' },
      workflow_job: { id, run_id: 501, run_attempt, name: 'lint', status, ...more },
    },
  });
  await deliver(run(1, 'queued'));
  await deliver(job(1, 1, 'completed', { conclusion: 'failure', completed_at: '2026-11-22T14:01:00Z' }));
  await deliver(run(1, 'completed', { conclusion: 'failure' }));
  await deliver(job(2, 11, 'queued', { created_at: '2026-11-22T14:01:30Z' }));
  await deliver(run(2, 'queued'));
  const times = { started_at: '2026-11-22T14:01:40Z', completed_at: '2026-11-22T14:02:00Z' };
  await deliver(job(2, 11, 'completed', { conclusion: 'success', ...times }));
  await deliver(run(2, 'completed', { conclusion: 'success' }));
  const ended = await runIs(501, 'completed', 2);
  assert.deepEqual(states(ended), ['1 lint failure', '2 lint success']);
  assert.equal(ended.jobs.find(({ attempt }) => attempt === 2)?.queueMs, 10_000);
});

test('a form of Gitea, which signs only what is in it, is refused with what to do', async () => {
  const payload = JSON.stringify({ zen: 'Keep it simple' });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-gitea-event': 'ping',
    'x-hub-signature-256': signature(integration.webhookSecret, payload),
  };
  const body = new URLSearchParams({ payload }).toString();
  const answer = await postWebhook(program.baseUrl, integration, { event: 'ping', payload: body, headers });
  assert.equal(answer.status, 401);
  assert.match(await answer.text(), /application\/json/);
});

/** As if it ended now. A run that ended a day ago is history and notifies nobody. */
function today(sent: Sent): Sent {
  const shift = Date.now() - Date.parse('2026-11-22T14:18:54Z');
  const text = JSON.stringify(sent).replaceAll(/2026-11-22T[\d:]+Z/g, (time) =>
    new Date(Date.parse(time) + shift).toISOString(),
  );
  return JSON.parse(text) as Sent;
}
