import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import type { WorkflowRunDetail } from '#contract/monitoring.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { signInAsDemo } from '#test/support/demo-sign-in.ts';
import { deliveryIdAt } from '#test/support/forge-events.ts';
import { postWebhook } from '#test/support/post-webhook.ts';
import { startTestProgram } from '#test/support/test-program.ts';
import { waitUntil } from '#test/support/wait-until.ts';

/** What a Gitea sent, in its order (`test/vectors/README.md`). */
type Sent = {
  event: string;
  payload: { action: string; workflow_run?: object; workflow_job?: { id: number } };
}[];
const read = (name: string): Sent =>
  JSON.parse(readFileSync(new URL(`../../test/vectors/gitea/${name}`, import.meta.url), 'utf8')) as Sent;

const { baseUrl, publicUrl, createIntegration } = await startTestProgram();
const browser = await signInAsDemo(publicUrl);

let integration: CreatedIntegration;
let seconds = 0;
before(async () => {
  integration = await createIntegration();
});

/** Ten seconds after the one before. */
async function deliver({ event, payload }: Sent[number]): Promise<void> {
  seconds += 10;
  const id = deliveryIdAt(seconds);
  const headers = { 'x-gitea-event': event, 'x-gitea-delivery': id };
  const answer = await postWebhook(baseUrl, integration, { event, payload, deliveryId: id, headers });
  assert.equal(answer.status, 200);
}

async function readRun(runId: number): Promise<WorkflowRunDetail> {
  const path = `/api/integrations/${integration.integrationId}/workflows/${runId}`;
  return (await (await browser.fetch(publicUrl + path)).json()) as WorkflowRunDetail;
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
    'when a job that is run again began to wait is not told',
  );
});

test('runs of a pull request of Gitea bear its number, and a job that was skipped is there', async () => {
  for (const one of read('pull-request.json')) await deliver(one);
  const { run, pullRequests, jobs } = await waitUntil('the run and both its jobs to be over', async () => {
    const detail = await readRun(3);
    return detail.jobs?.length === 2 && detail.jobs.every(({ status }) => status === 'completed') && detail;
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
