import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { endOfRun, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { Compile } from 'typebox/compile';
import { readKnownWorkflows } from './known-workflows.ts';

const { program, call, post } = await startAlertProgram();

test('recent workflows are listed with their branches, named as in rules', async () => {
  const integration = await program.createIntegration();
  const { integrationId } = integration;
  const fork = { id: 8, full_name: 'ann/site' };
  await post(integration, 'workflow_run', endOfRun(1, 'success', 1));
  await post(integration, 'workflow_run', endOfRun(2, 'failure', 2, { head_branch: 'next' }));
  await post(integration, 'workflow_run', endOfRun(3, 'failure', 3, { head_repository: fork }));
  await post(integration, 'workflow_run', endOfRun(4, 'failure', 4));
  await post(integration, 'workflow_run', runPayload({ id: 5, head_branch: null }));

  const read = async () =>
    (await (await call(integration, 'GET', 'notification-rules/known-workflows')).json()) as KnownWorkflows;
  const known = await waitUntil('all runs', async () => {
    const answer = await read();
    return answer.counted === 5 ? answer : undefined;
  });
  assert.ok(Compile(KnownWorkflows).Check(known));
  assert.deepEqual(known.items, [
    {
      repository: 'acme/site',
      workflow: 'CI',
      branches: ['ann:main', 'main', 'next'],
      defaultBranches: ['main'],
    },
    { repository: 'acme/site', workflow: null, branches: [null], defaultBranches: [] },
  ]);
  const newest = await program.database.api.withScope({ integrationId }, (tx) =>
    readKnownWorkflows(tx, integrationId, 1),
  );
  assert.deepEqual(newest, {
    items: [{ repository: 'acme/site', workflow: 'CI', branches: ['main'], defaultBranches: ['main'] }],
    counted: 1,
  });
});
