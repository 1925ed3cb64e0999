import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import type { WorkflowRun, WorkflowRunDetail } from '#contract/runs/runs.ts';
import { startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { settled } from '#test/support/product/settled.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, call, items, addRule, mailsTo } = await startAlertProgram();
const start = Math.floor(Date.now() / 1000) * 1000 - 600_000;
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString().replace('.000Z', 'Z');

interface Ending {
  began: number;
  ended: number;
  conclusion: string;
}

const run = (id: number, began: number, { ended, conclusion }: Partial<Ending> = {}) =>
  runPayload({
    id,
    name: 'CI',
    event: 'push',
    head_branch: 'main',
    head_sha: String(id).padStart(40, 'a'),
    status: ended === undefined ? 'in_progress' : 'completed',
    conclusion: conclusion ?? null,
    created_at: at(began),
    run_started_at: at(began),
    updated_at: at(ended ?? began),
  });

const job = (name: string, { began, ended, conclusion }: Ending) =>
  jobPayload({
    id: 100 + name.length,
    run_id: 1,
    name,
    workflow_name: 'CI',
    head_branch: 'main',
    status: 'completed',
    conclusion,
    created_at: at(began),
    started_at: at(began),
    completed_at: at(ended),
  });

const begun = run(1, 0);
const newer = run(2, 50);
const failed = job('test', { began: 5, ended: 40, conclusion: 'failure' });
const cancelled = job('build', { began: 5, ended: 55, conclusion: 'cancelled' });
/** Its `if: always()` lets it begin, and it fails because what it needs did not succeed. */
const gate = job('all-green', { began: 55, ended: 58, conclusion: 'failure' });
/** Of a run that is not reported, on another branch: it is evaluated after those before it. */
const another = jobPayload({
  id: 900,
  run_id: 9,
  workflow_name: 'CI',
  head_branch: 'topic',
  status: 'completed',
  conclusion: 'failure',
  created_at: at(5),
  completed_at: at(40),
});
const endedAs = (conclusion: string) => run(1, 0, { ended: 61, conclusion });

type Event = typeof begun | typeof gate;

/** An integration with a rule about all failures. */
async function watched(headersOf: (event: string) => Record<string, string> = () => ({})) {
  const integration = await program.createIntegration();
  const address = `${integration.integrationId}@example.com`;
  await addRule(integration, { channels: [{ type: 'email', to: [address] }] });
  const read = async <Body>(path: string): Promise<Body> =>
    (await (await call(integration, 'GET', path)).json()) as Body;
  return {
    mails: () => mailsTo(address).length,
    incidents: () => items<Incident>(integration, 'incidents'),
    post: async (...events: Event[]): Promise<void> => {
      for (const payload of events) {
        const event = 'workflow_job' in payload ? 'workflow_job' : 'workflow_run';
        const webhook = { event, payload, headers: headersOf(event) };
        assert.equal((await postWebhook(program.baseUrl, integration, webhook)).status, 200);
      }
    },
    untilSettled: () =>
      settled(program.database, (_, path) => read(path.slice(1)), integration.integrationId),
    /** What pages say about the first run, and what people are told about it. */
    verdict: async () => {
      const { run: onPage } = await read<WorkflowRunDetail>('workflows/1');
      const inList = (await items<WorkflowRun>(integration, 'workflows')).find(({ runId }) => runId === 1);
      const { tiles } = await read<Wall>('wallboard');
      return {
        page: [onPage.conclusion, onPage.supersededBy],
        list: [inList?.conclusion, inList?.supersededBy],
        wall: tiles.map(({ state }) => state),
        incidents: (await items<Incident>(integration, 'incidents')).map(
          ({ status, closeReason }) => closeReason ?? status,
        ),
        log: (await items<object>(integration, 'event-log?type=run.failed')).length,
        mails: mailsTo(address).length,
      };
    },
  };
}

const superseded = {
  page: ['cancelled', 2],
  list: ['cancelled', 2],
  wall: ['none'],
  incidents: [],
  log: 0,
  mails: 0,
};

for (const conclusion of ['cancelled', 'failure'])
  for (const [how, events] of Object.entries({
    'after the newer run began': [begun, newer, cancelled, gate, endedAs(conclusion)],
    'before the newer run is reported': [begun, cancelled, gate, newer, endedAs(conclusion)],
    'before a newer run that is reported after its end': [begun, cancelled, gate, endedAs(conclusion), newer],
  }))
    test(`a run that ends as ${conclusion} with a gate that fails ${how} is superseded`, async () => {
      const { post, untilSettled, verdict } = await watched();
      await post(...events);
      await untilSettled();
      assert.deepEqual(await verdict(), superseded);
    });

test('a run is superseded when the events of its cancelled job and its gate follow its end', async () => {
  const { post, untilSettled, verdict } = await watched();
  await post(begun, newer, endedAs('cancelled'), gate, cancelled);
  await untilSettled();
  assert.deepEqual(await verdict(), superseded);
});

test('a run of Gitea with a gate that fails after the cancellation is superseded', async () => {
  const { post, untilSettled, verdict } = await watched((event) => ({
    'x-gitea-event': event,
    'x-gitea-event-type': event,
  }));
  await post(begun, newer, cancelled, gate, endedAs('failure'));
  await untilSettled();
  assert.deepEqual(await verdict(), superseded);
});

test('a gate that fails after a cancellation waits for the end of its run', async () => {
  const { post, incidents, untilSettled, verdict } = await watched();
  await post(begun, newer, cancelled, gate, another);
  const branches = async (): Promise<(string | null)[]> => (await incidents()).map(({ branch }) => branch);
  await waitUntil('the other failure', async () => (await branches()).includes('topic'));
  assert.deepEqual(await branches(), ['topic']);
  await post(endedAs('cancelled'));
  await untilSettled();
  assert.deepEqual(await verdict(), { ...superseded, incidents: ['open'], mails: 1 });
});

test('a gate that nobody waited for leaves no open incident when its run is superseded later', async () => {
  const { post, incidents, untilSettled, verdict } = await watched();
  await post(begun, cancelled, gate, endedAs('failure'));
  await waitUntil(
    'the incident of the job and the run',
    async () => (await incidents())[0]?.failedRuns === 1,
  );
  await untilSettled();
  await post(newer);
  await waitUntil('its end', async () => (await incidents())[0]?.status === 'closed');
  await untilSettled();
  assert.deepEqual((await verdict()).incidents, ['superseded']);
});

test('a job that failed before the cancellation is told while its run goes on, and stays a failure', async () => {
  const { post, mails, untilSettled, verdict } = await watched();
  await post(begun, newer, failed, cancelled, gate);
  await waitUntil('the mail', () => mails() === 1);
  await post(endedAs('failure'));
  await untilSettled();
  const { page, wall, incidents } = await verdict();
  assert.deepEqual(
    { page, wall, incidents },
    { page: ['failure', null], wall: ['failed'], incidents: ['open'] },
  );
});

for (const [what, events] of Object.entries({
  'without a newer run': [begun, cancelled, gate],
  'without a cancelled job': [begun, newer, gate],
}))
  test(`a gate that fails ${what} stays a failure`, async () => {
    const { post, mails, untilSettled, verdict } = await watched();
    await post(...events, endedAs('failure'));
    await waitUntil('the mail', () => mails() === 1);
    await untilSettled();
    const { page, wall, incidents } = await verdict();
    assert.deepEqual(
      { page, wall, incidents },
      { page: ['failure', null], wall: ['failed'], incidents: ['open'] },
    );
  });
