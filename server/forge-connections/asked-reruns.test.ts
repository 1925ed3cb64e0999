import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { startGiteaProduct } from '#test/support/forge/gitea-product.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { gitea, product, body } = await startGiteaProduct();

type Object = Record<string, unknown>;
interface Sent {
  event: string;
  payload: Object & { workflow_run?: Object; workflow_job?: Object };
}

/** What a Gitea sent of a run that fails and passes when it is run again (`test/vectors/README.md`). */
const recorded = JSON.parse(
  readFileSync(new URL('../../test/vectors/gitea/rerun.json', import.meta.url), 'utf8'),
) as Sent[];
const firstAttempt = recorded.slice(0, 9);
const secondAttempt = recorded.slice(9);

/** Not long ago: the product would ask the forge, which knows the second attempt, about a run that has said nothing for half an hour. */
const begunAt = new Date(Date.now() - 5 * 60_000);

/** Since Gitea 1.26 attempts have numbers, each has jobs of its own, and runs have times. */
const numbered = (attempt: number, sent: readonly Sent[]): Sent[] =>
  sent.map(({ event, payload: { workflow_run: run, workflow_job: job, ...payload } }, index) => {
    const updated_at = new Date(begunAt.getTime() + (attempt * 60 + index) * 1000).toISOString();
    const times = { created_at: begunAt.toISOString(), updated_at };
    return {
      event,
      payload: {
        ...payload,
        ...(run && { workflow_run: { ...run, run_attempt: attempt, ...times } }),
        ...(job && { workflow_job: { ...job, id: Number(job['id']) + 10 * attempt, run_attempt: attempt } }),
      },
    };
  });

const forms = [
  { form: 'that numbers no attempts', first: firstAttempt, second: secondAttempt },
  { form: 'that numbers attempts', first: numbered(1, firstAttempt), second: numbered(2, secondAttempt) },
];

/** A team whose run failed at its Gitea a moment ago. */
async function teamWithFailedRun(first: readonly Sent[]) {
  const team = await product.newTeam();
  const connection = (rest = '') => team.path(`/forge-connection${rest}`);
  assert.equal((await team.admin.call('PUT', connection(), body)).status, 204);
  const chosen = await team.admin.call('PUT', connection('/repositories'), { repositories: ['acme/shop'] });
  assert.equal(chosen.status, 204);
  const deliver = async (all: readonly Sent[]) => {
    for (const { event, payload } of all) {
      const headers = { 'x-gitea-event': event };
      assert.equal((await postWebhook(product.baseUrl, team, { event, payload, headers })).status, 200);
    }
  };
  const path = team.path('/workflows/1');
  const runIs = (attempt: number, status: string) =>
    waitUntil(`the run to be ${status} in attempt ${attempt}`, async () => {
      const answer = (await team.viewer.call('GET', path)).body as unknown as WorkflowRunDetail;
      return answer.run?.attempt === attempt && answer.run.status === status && answer;
    });
  await deliver(first);
  await runIs(1, 'completed');
  return {
    ...team,
    deliver,
    runIs,
    rerun: () => team.member.call('POST', `${path}/rerun`, { scope: 'failed' }),
  };
}

const attemptsOf = ({ attempts }: WorkflowRunDetail) =>
  attempts.map(({ attempt, status, conclusion }) => [attempt, conclusion ?? status]);

for (const { form, first, second } of forms)
  test(`a re-run that a member asks a Gitea for ${form} is a new attempt from its first event on`, async () => {
    const team = await teamWithFailedRun(first);
    assert.equal((await team.rerun()).status, 202);
    await team.deliver(second.slice(0, 1));
    assert.deepEqual(attemptsOf(await team.runIs(2, 'queued')), [
      [1, 'failure'],
      [2, 'queued'],
    ]);
    await team.deliver(second.slice(1));
    const passed = await team.runIs(2, 'completed');
    assert.deepEqual(attemptsOf(passed), [
      [1, 'failure'],
      [2, 'success'],
    ]);
    assert.deepEqual(
      passed.jobs.map(({ attempt, name, conclusion }) => [attempt, name, conclusion].join(' ')),
      ['1 build success', '1 test (ubuntu, 20) failure', '2 build success', '2 test (ubuntu, 20) success'],
    );
  });

test('a job that is queued again begins the attempt that a member asked for when its run says nothing', async () => {
  const team = await teamWithFailedRun(firstAttempt);
  assert.equal((await team.rerun()).status, 202);
  await team.deliver(secondAttempt.slice(1, 2));
  const { jobs } = await team.runIs(2, 'queued');
  assert.deepEqual(
    jobs.map(({ attempt, name, status, conclusion }) => [attempt, name, conclusion ?? status].join(' ')),
    ['1 build success', '1 test (ubuntu, 20) failure', '2 build queued'],
  );
  await team.deliver(secondAttempt.slice(2));
  assert.equal((await team.runIs(2, 'completed')).run.conclusion, 'success');
});

test('the end of a re-run of which nothing else arrives leaves the failure before it', async () => {
  const team = await teamWithFailedRun(firstAttempt);
  await team.deliver(secondAttempt.slice(-1));
  assert.deepEqual(attemptsOf(await team.runIs(2, 'completed')), [
    [1, 'failure'],
    [2, 'success'],
  ]);
});

test('a late event begins no attempt after the forge refused a re-run', async () => {
  const team = await teamWithFailedRun(firstAttempt);
  gitea.interfere = (call) => (call.includes('/rerun') ? { status: 403 } : undefined);
  assert.equal((await team.rerun()).status, 409);
  gitea.interfere = undefined;
  await team.deliver([...firstAttempt.slice(0, 1), ...firstAttempt.slice(-1)]);
  await waitUntil('the last event', async () => {
    const { body: page } = await team.admin.call('GET', team.path('/deliveries?limit=100'));
    return page.items.length >= 11 && page.items.every(({ status }) => status !== 'queued');
  });
  assert.deepEqual(attemptsOf(await team.runIs(1, 'completed')), [[1, 'failure']]);
});
