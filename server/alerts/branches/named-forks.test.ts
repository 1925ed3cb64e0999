import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeEndedBranches } from './close-ended-branches.ts';
import type { Incident } from '#contract/alerts/incidents.ts';
import { lockEvaluation } from '#server/alerts/evaluation/completion-store.ts';
import { endOfRun, seconds, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { pullRequestPayload } from '#test/support/data/forge-events.ts';
import { countRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, items, addRule, post, mailsTo } = await startAlertProgram();

type Integration = Awaited<ReturnType<typeof program.createIntegration>>;

const gone = { head_repository: null };
/** Of a fork that keeps its id under every name. */
const ofFork = (owner: string, id = 77) => ({ head_repository: { id, full_name: `${owner}/site` } });
const ofAnn = ofFork('ann');

/** A run that waits: the event arrives after the end of the run, and names its fork. */
const lateName = (id: number, branch: string) =>
  endOfRun(id, '', 1, { head_branch: branch, status: 'queued', conclusion: null, ...ofAnn });

/** Posts what happens on one branch of a fork, and returns how its incidents are shown. */
async function watched(branch: string) {
  const integration: Integration = await program.createIntegration();
  const address = `${integration.integrationId}@example.com`;
  await addRule(integration, { events: ['run'], channels: [{ type: 'email', to: [address] }] });
  const shown = async () =>
    (await items<Incident>(integration, 'incidents?limit=100'))
      .map(
        ({ branch: of, failedRuns, firstFailure, lastFailure, closedByRunId }) =>
          `${of}: ${failedRuns} failed, ${firstFailure.runId} to ${lastFailure.runId}, ${closedByRunId ?? 'open'}`,
      )
      .toSorted();
  return {
    integrationId: integration.integrationId,
    mails: () => mailsTo(address).map(({ source }) => source),
    end: (id: number, conclusion: string, at: number, more: object) =>
      post(integration, 'workflow_run', endOfRun(id, conclusion, at, { head_branch: branch, ...more })),
    name: (id: number) => post(integration, 'workflow_run', lateName(id, branch)),
    pull: (owner: string, state: string, at: number, id = 77, number = 5) =>
      post(
        integration,
        'pull_request',
        pullRequestPayload({
          number,
          state,
          head: { ref: branch, sha: 'a'.repeat(40), repo: { id, full_name: `${owner}/site` } },
          updated_at: seconds(at),
          ...(state === 'closed' && { closed_at: seconds(at) }),
        }),
      ),
    open: () => items<Incident>(integration, 'incidents?status=open'),
    until: (...expected: string[]) =>
      waitUntil(expected.join(', '), async () => (await shown()).join() === expected.join()),
  };
}

test('an incident of a fork that nobody knew gets the name of the fork, and is notified about once', async () => {
  const { end, name, until, mails } = await watched('feature');
  await end(100, 'failure', 10, gone);
  await until('fork:feature: 1 failed, 100 to 100, open');
  await name(100);
  await until('ann:feature: 1 failed, 100 to 100, open');
  await end(100, 'failure', 20, { run_attempt: 2, ...ofAnn });
  await until('ann:feature: 2 failed, 100 to 100, open');
  await end(101, 'success', 30, ofAnn);
  await until('ann:feature: 2 failed, 100 to 100, 101');
  await waitUntil('the mail about its end', () => mails().length === 2);
  assert.match(mails()[1] ?? '', /ann:feature/);
});

test('failures of a fork that is named late join the open incident of its branch', async () => {
  const { end, name, until } = await watched('feature');
  await end(100, 'failure', 10, gone);
  await until('fork:feature: 1 failed, 100 to 100, open');
  await end(101, 'failure', 20, ofAnn);
  await until('ann:feature: 1 failed, 101 to 101, open', 'fork:feature: 1 failed, 100 to 100, open');
  await name(100);
  await until('ann:feature: 2 failed, 100 to 101, open');
});

test('an incident of a fork that is named late is closed by the success that was there before the name', async () => {
  const { end, name, until } = await watched('feature');
  await end(100, 'failure', 10, gone);
  await until('fork:feature: 1 failed, 100 to 100, open');
  await end(101, 'success', 20, ofAnn);
  await end(102, 'failure', 30, ofAnn);
  await until('ann:feature: 1 failed, 102 to 102, open', 'fork:feature: 1 failed, 100 to 100, open');
  await end(103, 'success', 40, ofAnn);
  await until('ann:feature: 1 failed, 102 to 102, 103', 'fork:feature: 1 failed, 100 to 100, open');
  await name(100);
  await until('ann:feature: 1 failed, 100 to 100, 101', 'ann:feature: 1 failed, 102 to 102, 103');
});

test('a success of a fork that is named late closes the incident of its branch', async () => {
  const { end, name, until } = await watched('feature');
  await end(100, 'failure', 10, ofAnn);
  await end(101, 'success', 20, gone);
  await until('ann:feature: 1 failed, 100 to 100, open');
  await name(101);
  await until('ann:feature: 1 failed, 100 to 100, 101');
});

test('a fork that is named late takes only its own failures with it', async () => {
  const { end, name, until } = await watched('feature');
  await end(100, 'failure', 10, gone);
  await end(101, 'failure', 20, gone);
  await until('fork:feature: 2 failed, 100 to 101, open');
  await name(100);
  await until('ann:feature: 1 failed, 100 to 100, open', 'fork:feature: 1 failed, 101 to 101, open');
});

test('an incident of a fork that is renamed follows it, and its success closes it', async () => {
  const { end, pull, until } = await watched('feature');
  await pull('ann', 'open', 5);
  await end(100, 'failure', 10, ofAnn);
  await until('ann:feature: 1 failed, 100 to 100, open');
  await end(101, 'success', 20, ofFork('bob'));
  await pull('bob', 'open', 30);
  await until('bob:feature: 1 failed, 100 to 100, 101');
});

test('an incident of a fork that is renamed closes with its pull request', async () => {
  const { end, pull, until, open } = await watched('feature');
  await pull('ann', 'open', 5);
  await end(100, 'failure', 10, ofAnn);
  await until('ann:feature: 1 failed, 100 to 100, open');
  await pull('bob', 'closed', 30);
  await waitUntil('the end', async () => (await open()).length === 0);
});

test('the end of a renamed fork waits for its new name', async () => {
  const { integrationId, end, pull, until, open } = await watched('feature');
  await pull('ann', 'open', 5);
  await end(100, 'failure', 10, ofAnn);
  await until('ann:feature: 1 failed, 100 to 100, open');
  const { worker } = program.database;
  // A turn of the evaluation that found nothing before this event.
  await worker.withScope({ integrationId }, async (tx) => {
    await lockEvaluation(tx, integrationId);
    await pull('bob', 'closed', 30);
    const ends = { group_id: integrationId };
    await waitUntil(
      'its end',
      async () => (await countRows(program.database, 'pending_branch_ends', ends)) > 0,
    );
    await closeEndedBranches(tx, integrationId, 10);
  });
  await waitUntil('the end', async () => (await open()).length === 0);
});

test('a late event with the earlier name of a fork counts for the renamed fork', async () => {
  const { end, pull, until } = await watched('feature');
  await pull('zoe', 'open', 5);
  await end(100, 'failure', 70, ofFork('zoe'));
  await until('zoe:feature: 1 failed, 100 to 100, open');
  await pull('bob', 'open', 75);
  await until('bob:feature: 1 failed, 100 to 100, open');
  // Another run, another attempt of the known one, and a run of another fork that has the name now.
  await end(101, 'failure', 72, ofFork('zoe'));
  await until('bob:feature: 2 failed, 100 to 101, open');
  await end(100, 'failure', 74, { run_attempt: 2, ...ofFork('zoe') });
  await until('bob:feature: 3 failed, 100 to 100, open');
  await pull('zoe', 'open', 76, 78, 6);
  await end(102, 'failure', 140, ofFork('zoe', 78));
  await until('bob:feature: 3 failed, 100 to 100, open', 'zoe:feature: 1 failed, 102 to 102, open');
  await end(103, 'success', 73, ofFork('zoe'));
  await until('bob:feature: 3 failed, 100 to 100, 103', 'zoe:feature: 1 failed, 102 to 102, open');
});

test('an incident of a fork that is renamed before any event of its pull request closes with it', async () => {
  const { end, pull, until, open } = await watched('feature');
  await end(100, 'failure', 10, ofAnn);
  await until('ann:feature: 1 failed, 100 to 100, open');
  await pull('bob', 'closed', 30);
  await waitUntil('the end', async () => (await open()).length === 0);
});

test('a late failure of a fork that is renamed after its pull request was closed opens no incident', async () => {
  const { integrationId, end, pull, until, open } = await watched('feature');
  await pull('zoe', 'closed', 30);
  // It names the fork, and a failure of another branch says when it is evaluated.
  await end(101, 'success', 40, ofFork('bob'));
  await end(100, 'failure', 20, ofFork('zoe'));
  await end(102, 'failure', 50, { head_branch: 'main', head_repository: { id: 7, full_name: 'acme/site' } });
  await until('main: 1 failed, 102 to 102, open');
  await waitUntil('the end of the branch', async () => {
    const left = await countRows(program.database, 'pending_branch_ends', { group_id: integrationId });
    return left === 0 && (await open()).length === 1;
  });
});

test('an incident of a fork without a pull request is closed by a run that tells its new name', async () => {
  const { end, until } = await watched('feature');
  await end(100, 'failure', 10, ofFork('zoe'));
  await until('zoe:feature: 1 failed, 100 to 100, open');
  await end(102, 'success', 30, ofFork('bob'));
  await until('bob:feature: 1 failed, 100 to 100, 102');
  await end(101, 'failure', 20, ofFork('zoe'));
  await end(103, 'failure', 40, ofFork('bob'));
  await until('bob:feature: 1 failed, 100 to 100, 102', 'bob:feature: 1 failed, 103 to 103, open');
});
