import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import { endOfRun, seconds, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { repositoryOf, reviewPayload } from '#test/support/data/forge-events.ts';
import { settled } from '#test/support/product/settled.ts';

const { program, call, items, addRule, post } = await startAlertProgram();

const repository = (default_branch: string) => ({ ...repositoryOf('acme/site'), default_branch });

async function watched() {
  const integration = await program.createIntegration();
  const read = async <Body>(path: string): Promise<Body> =>
    (await (await call(integration, 'GET', path)).json()) as Body;
  const untilSettled = () =>
    settled(program.database, (_, path) => read(path.slice(1)), integration.integrationId);
  /** Posts the end of a run as of a time at which the repository had a default branch. */
  const end = async (id: number, conclusion: string, at: number, branch: string, defaultBranch = branch) => {
    const payload = endOfRun(id, conclusion, at, { head_branch: branch });
    await post(integration, 'workflow_run', { ...payload, repository: repository(defaultBranch) });
    await untilSettled();
  };
  return {
    integration,
    end,
    untilSettled,
    /** By text, because an incident that opens again is as old as the one before. */
    incidents: async () =>
      (await items<Incident>(integration, 'incidents'))
        .map(({ branch, closeReason }) => `${branch} ${closeReason ?? 'open'}`)
        .sort(),
    moves: async () =>
      (await items<{ title: string }>(integration, 'event-log?type=repository.default_branch_changed'))
        .length,
    wall: async () => (await read<Wall>('wallboard')).tiles.map(({ state }) => state),
  };
}

for (const hasRule of [false, true])
  test(`a late failure of the default branch before opens no incident ${hasRule ? 'with a rule' : 'without a rule'}`, async () => {
    const { integration, end, incidents } = await watched();
    if (hasRule) await addRule(integration, { events: ['run'] });
    await end(2, 'success', 100, 'trunk');
    await end(1, 'failure', 50, 'main');
    assert.deepEqual(await incidents(), []);
    // The branch goes on as another one.
    await end(3, 'failure', 200, 'main', 'trunk');
    assert.deepEqual(await incidents(), hasRule ? ['main open'] : []);
  });

test('a late event with the default branch of a time before does not bring it back', async () => {
  const { end, incidents, moves } = await watched();
  await end(1, 'success', 10, 'main');
  await end(3, 'failure', 300, 'main');
  await end(2, 'failure', 150, 'trunk');
  assert.deepEqual([await incidents(), await moves()], [['main open'], 0]);
});

test('a review that is delivered again does not bring the default branch of its time back', async () => {
  const { integration, end, untilSettled, incidents, moves } = await watched();
  const payload = {
    ...reviewPayload({ submitted_at: seconds(5) }),
    repository: repository('trunk'),
  };
  await post(integration, 'pull_request_review', payload);
  await end(1, 'failure', 10, 'main');
  assert.equal(await moves(), 1);
  await post(integration, 'pull_request_review', payload);
  await untilSettled();
  assert.deepEqual([await incidents(), await moves()], [['main open'], 1]);
});

test('a branch that becomes the default branch again is red again', async () => {
  const { end, incidents, wall } = await watched();
  await end(1, 'failure', 10, 'main');
  await end(2, 'success', 20, 'trunk');
  assert.deepEqual(await incidents(), ['main default_branch_changed']);
  await end(3, 'success', 30, 'topic', 'main');
  assert.deepEqual(
    [await wall(), await incidents()],
    [['failed'], ['main default_branch_changed', 'main open']],
  );
  await end(4, 'success', 40, 'main');
  assert.deepEqual([await wall(), (await incidents()).includes('main open')], [['passed'], false]);
});
