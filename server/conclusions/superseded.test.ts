import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, call, items, addRule, post, mailsTo } = await startAlertProgram();
const start = Date.now() - 600_000;
const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

interface Facts {
  id: number;
  created: number;
  /** Seconds; none for a run that is not over. */
  ended?: number;
  conclusion?: string;
  branch?: string;
}

const run = ({ id, created, ended, conclusion, branch = 'main' }: Facts) =>
  runPayload({
    id,
    name: 'CI',
    event: 'push',
    head_branch: branch,
    head_sha: String(id).padStart(40, 'a'),
    status: ended === undefined ? 'in_progress' : 'completed',
    conclusion: conclusion ?? null,
    created_at: at(created),
    run_started_at: at(created),
    updated_at: at(ended ?? created),
  });

const job = (runId: number, id: number, conclusion: string, ended: number) =>
  jobPayload({
    id,
    run_id: runId,
    name: `job ${id}`,
    workflow_name: 'CI',
    head_branch: 'main',
    status: 'completed',
    conclusion,
    created_at: at(ended - 30),
    started_at: at(ended - 30),
    completed_at: at(ended),
  });

/** An integration with a mail for failures and one that also asks for superseded runs. */
async function watched(name: string) {
  const integration = await program.createIntegration();
  const mails = { failures: `${name}@example.com`, all: `${name}-all@example.com` };
  await addRule(integration, { channels: [{ type: 'email', to: [mails.failures] }] });
  await addRule(integration, {
    name: 'All',
    conclusions: ['failure', 'superseded'],
    channels: [{ type: 'email', to: [mails.all] }],
  });
  const detail = async (runId: number) =>
    (await (await call(integration, 'GET', `workflows/${runId}`)).json()) as WorkflowRunDetail;
  const untilSettled = () =>
    waitUntil('conclusions and rules', async () => {
      const rows = await program.database.asOwner(
        `select from pending_conclusions where group_id = $1
         union all select from pending_evaluations where group_id = $1`,
        [integration.integrationId],
      );
      return rows.length === 0;
    });
  return { integration, mails, detail, untilSettled };
}

const titles = async (integration: CreatedIntegration): Promise<string[]> =>
  (await items<{ title: string }>(integration, 'event-log?type=run.failed')).map(({ title }) => title);

test('a failure whose jobs were only cancelled by a newer push is superseded and not red', async () => {
  const { integration, mails, detail, untilSettled } = await watched('superseded');
  await post(integration, 'workflow_run', run({ id: 1, created: 0 }));
  await post(integration, 'workflow_job', job(1, 10, 'success', 40));
  await post(integration, 'workflow_run', run({ id: 2, created: 50 }));
  await post(integration, 'workflow_run', run({ id: 1, created: 0, ended: 60, conclusion: 'failure' }));
  await post(integration, 'workflow_job', job(1, 11, 'cancelled', 59));
  const found = await waitUntil('the run to be superseded', async () => {
    const seen = await detail(1);
    return seen.run?.supersededBy === 2 && seen;
  });
  assert.equal(found.run.conclusion, 'cancelled');
  assert.equal(found.attempts[0]?.supersededBy, 2);
  await untilSettled();
  await waitUntil('the mail of the rule that asks for it', () => mailsTo(mails.all).length === 1);
  assert.match(mailsTo(mails.all)[0]!.source, /superseded/);
  assert.deepEqual(
    mailsTo(mails.failures).map(({ source }) => source),
    [],
  );
  assert.deepEqual(await titles(integration), []);
  const wall = (await (await call(integration, 'GET', 'wallboard')).json()) as Wall;
  assert.deepEqual(
    wall.tiles.filter(({ state }) => state === 'failed'),
    [],
  );
  const overview = JSON.stringify(await (await call(integration, 'GET', 'overview')).json());
  assert.doesNotMatch(overview, /"failed":1/);
});

test('a merge group is superseded by the next one of its pull request, which is on another branch', async () => {
  const { integration, detail, untilSettled } = await watched('queue');
  const group = (number: number, sha: string) => `gh-readonly-queue/main/pr-${number}-${sha.repeat(40)}`;
  await post(integration, 'workflow_run', run({ id: 1, created: 0, branch: group(7, 'a') }));
  await post(integration, 'workflow_run', run({ id: 2, created: 10, branch: group(8, 'b') }));
  await post(integration, 'workflow_run', run({ id: 3, created: 50, branch: group(7, 'c') }));
  for (const [id, branch] of [
    [1, group(7, 'a')],
    [2, group(8, 'b')],
  ] as const) {
    await post(integration, 'workflow_job', job(id, id * 10, 'cancelled', 59));
    await post(
      integration,
      'workflow_run',
      run({ id, created: id, ended: 60, conclusion: 'failure', branch }),
    );
  }
  await waitUntil('the group to be superseded', async () => (await detail(1)).run?.supersededBy === 3);
  const read = async () =>
    (await items<Incident>(integration, 'incidents?status=open')).map(
      ({ branch, firstFailure }) => `${branch}: ${firstFailure.conclusion}`,
    );
  await waitUntil('both incidents', async () => (await read()).length === 2);
  await untilSettled();
  assert.equal((await detail(2)).run.supersededBy, null);
  assert.deepEqual((await read()).toSorted(), [
    'merge queue of #7 into main: superseded',
    'merge queue of #8 into main: failure',
  ]);
});

for (const [what, events] of Object.entries({
  'with a failed job': [
    run({ id: 1, created: 0 }),
    run({ id: 2, created: 50 }),
    job(1, 10, 'failure', 40),
    job(1, 11, 'cancelled', 59),
    run({ id: 1, created: 0, ended: 60, conclusion: 'failure' }),
  ],
  'without a newer run before its end': [
    run({ id: 1, created: 0 }),
    job(1, 11, 'cancelled', 59),
    run({ id: 1, created: 0, ended: 60, conclusion: 'failure' }),
    run({ id: 2, created: 70 }),
  ],
  'with a newer run of another branch': [
    run({ id: 1, created: 0 }),
    run({ id: 2, created: 50, branch: 'topic' }),
    job(1, 11, 'cancelled', 59),
    run({ id: 1, created: 0, ended: 60, conclusion: 'failure' }),
  ],
  'without any job': [
    run({ id: 1, created: 0 }),
    run({ id: 2, created: 50 }),
    run({ id: 1, created: 0, ended: 60, conclusion: 'failure' }),
  ],
}))
  test(`a failure ${what} stays a failure`, async () => {
    const { integration, mails, detail, untilSettled } = await watched(what.replaceAll(' ', '-'));
    for (const event of events)
      await post(integration, 'workflow_job' in event ? 'workflow_job' : 'workflow_run', event);
    await waitUntil('the end of the run', async () => (await detail(1)).run?.conclusion === 'failure');
    await waitUntil(
      'the incident',
      async () => (await items<Incident>(integration, 'incidents')).length === 1,
    );
    await untilSettled();
    const { run: found } = await detail(1);
    assert.deepEqual([found.conclusion, found.supersededBy], ['failure', null]);
    await waitUntil('the mail', () => mailsTo(mails.failures).length === 1);
    await waitUntil('the event log', async () => (await titles(integration)).length === 1);
  });

test('a cancelled run with a newer run says that it was superseded', async () => {
  const { integration, detail, untilSettled } = await watched('cancelled');
  await post(integration, 'workflow_run', run({ id: 1, created: 0 }));
  await post(integration, 'workflow_run', run({ id: 2, created: 50 }));
  await post(integration, 'workflow_run', run({ id: 1, created: 0, ended: 60, conclusion: 'cancelled' }));
  await waitUntil('the run to be superseded', async () => (await detail(1)).run?.supersededBy === 2);
  await untilSettled();
  const { run: found } = await detail(1);
  assert.equal(found.conclusion, 'cancelled');
});

test('a run is superseded by a newer one that is reported long after its end', async () => {
  const { integration, detail, untilSettled } = await watched('late');
  await post(integration, 'workflow_job', job(1, 11, 'cancelled', 59));
  await post(integration, 'workflow_run', run({ id: 1, created: 0, ended: 60, conclusion: 'failure' }));
  await waitUntil('the incident', async () => (await items<Incident>(integration, 'incidents')).length === 1);
  await untilSettled();
  await waitUntil('the event log', async () => (await titles(integration)).length === 1);
  await post(integration, 'workflow_run', run({ id: 2, created: 50 }));
  await waitUntil('the run to be superseded', async () => (await detail(1)).run?.supersededBy === 2);
  await untilSettled();
  assert.deepEqual(await titles(integration), [], 'the event log still says that it failed');
  const incidents = await items<Incident>(integration, 'incidents');
  const ends = incidents.map(({ closeReason, firstFailure }) => [closeReason, firstFailure.conclusion]);
  assert.deepEqual(
    ends.toSorted(),
    [
      [null, 'superseded'],
      ['superseded', 'failure'],
    ],
    'a rule asks for superseded runs',
  );
});

test('without a rule, an incident loses the failure of a run that was superseded, and closes when none is left', async () => {
  const integration = await program.createIntegration();
  const incident = (what: string, isSo: (incident: Incident) => boolean): Promise<Incident> =>
    waitUntil(what, async () => {
      const [found, ...others] = await items<Incident>(integration, 'incidents');
      assert.equal(others.length, 0);
      return found !== undefined && isSo(found) && found;
    });
  const cancelled = async (id: number, created: number, ended: number): Promise<void> => {
    await post(integration, 'workflow_job', job(id, 10 * id, 'cancelled', ended - 1));
    await post(integration, 'workflow_run', run({ id, created, ended, conclusion: 'failure' }));
  };
  await cancelled(1, 0, 60);
  await incident('an incident of one run', ({ failedRuns }) => failedRuns === 1);
  await cancelled(3, 70, 90);
  const { openedAt } = await incident('an incident of both runs', ({ failedRuns }) => failedRuns === 2);
  assert.equal(openedAt, at(60));
  await post(integration, 'workflow_run', run({ id: 2, created: 50 }));
  const left = await incident('an incident of the later run', ({ failedRuns }) => failedRuns === 1);
  assert.deepEqual([left.status, left.openedAt, left.firstFailure.runId], ['open', at(90), 3]);
  await post(integration, 'workflow_run', run({ id: 4, created: 80 }));
  const closed = await incident('its end', ({ status }) => status === 'closed');
  assert.deepEqual([closed.closeReason, closed.redMs, closed.closedByRunId], ['superseded', 0, null]);
});

test('an incident that is closed already also loses the failure of a run that was superseded', async () => {
  const integration = await program.createIntegration();
  const closed = (openedAt: string): Promise<Incident> =>
    waitUntil(`the closed incident since ${openedAt}`, async () => {
      const found = await items<Incident>(integration, 'incidents?status=closed');
      return found.find((each) => each.openedAt === openedAt);
    });
  await post(integration, 'workflow_job', job(1, 10, 'cancelled', 59));
  await post(integration, 'workflow_run', run({ id: 1, created: 0, ended: 60, conclusion: 'failure' }));
  await waitUntil('the incident', async () => (await items<Incident>(integration, 'incidents')).length === 1);
  await post(integration, 'workflow_job', job(3, 30, 'failure', 85));
  await post(integration, 'workflow_run', run({ id: 3, created: 70, ended: 90, conclusion: 'failure' }));
  await post(integration, 'workflow_run', run({ id: 4, created: 95, ended: 120, conclusion: 'success' }));
  assert.equal((await closed(at(60))).failedRuns, 2);
  await post(integration, 'workflow_run', run({ id: 2, created: 50 }));
  const { failedRuns, closeReason, redMs } = await closed(at(90));
  assert.deepEqual([failedRuns, closeReason, redMs], [1, 'recovered', 30_000]);
});

test('a failure waits for the conclusion of the run before it, which decides what broke the branch', async () => {
  const { integration, mails, untilSettled } = await watched('before');
  await post(integration, 'workflow_run', run({ id: 1, created: 0, ended: 20, conclusion: 'success' }));
  await post(integration, 'workflow_run', run({ id: 2, created: 30 }));
  await post(integration, 'workflow_run', run({ id: 3, created: 50 }));
  await post(integration, 'workflow_job', job(2, 21, 'cancelled', 59));
  await post(integration, 'workflow_run', run({ id: 2, created: 30, ended: 60, conclusion: 'failure' }));
  await post(integration, 'workflow_job', job(3, 31, 'failure', 80));
  await post(integration, 'workflow_run', run({ id: 3, created: 50, ended: 90, conclusion: 'failure' }));
  const { source } = await waitUntil('the mail', () => mailsTo(mails.failures)[0]);
  await untilSettled();
  assert.match(source, /One of 2 commits/);
});
