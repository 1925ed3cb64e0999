import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRepository, newRun, type ForgeRun, type Json } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { countRows, readRows, updateRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { forge, product, newLinkedTeam } = await startLinkedProduct();
const { database, baseUrl } = product;

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

test('a job without a reported end is read from the forge, also after its run, and rules are evaluated', async () => {
  const repository = newRepository('octo-org/jobs');
  const lost = newRun(repository, hoursAgo(2), { conclusion: 'failure' });
  lost.jobs[0] = { ...lost.jobs[0], conclusion: 'failure', name: 'lost' };
  const stuck = newRun(repository, hoursAgo(2));
  stuck.jobs[0] = { ...stuck.jobs[0], status: 'in_progress', conclusion: null, completed_at: null };
  const [whole, fresh, old] = [
    newRun(repository, hoursAgo(2)),
    newRun(repository, hoursAgo(0)),
    newRun(repository, hoursAgo(24 * 30)),
  ];
  repository.runs = [lost, stuck, whole, fresh, old];
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  await team.owner.call('POST', team.path('/notification-rules'), ruleBody({ events: ['job'] }));
  const begun = { status: 'in_progress', conclusion: null, completed_at: null };
  const tell = async ({ attempts, jobs }: ForgeRun, more: Json) => {
    const place = { id: repository.id, full_name: repository.name, default_branch: 'main' };
    for (const [event, object] of [
      ['workflow_run', attempts[0]],
      ['workflow_job', { ...jobs[0], ...more }],
    ] as const) {
      const answer = await postWebhook(baseUrl, team, {
        event,
        payload: { [event]: object, repository: place },
      });
      assert.equal(answer.status, 200);
    }
  };
  const before = forge.calls.length;
  await Promise.all([
    tell(lost, begun),
    tell(stuck, begun),
    tell(whole, {}),
    tell(fresh, begun),
    tell(old, begun),
  ]);
  const isAsked = ({ id }: ForgeRun): boolean =>
    forge.calls.slice(before).some((call) => call.endsWith(`/runs/${id}`));
  const ofTeam = { integration_id: team.integrationId };
  await waitUntil('the jobs', async () => (await countRows(database, 'workflow_jobs', ofTeam)) === 5);
  await team.checkAgain();
  await waitUntil('the correction', async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${lost.id}`));
    return (body['jobs'] as { status: string }[])[0]?.status === 'completed';
  });
  await waitUntil('an incident', async () => {
    const { body } = await team.viewer.call('GET', team.path('/incidents'));
    return body.items.length === 1;
  });
  /** The runs whose check waits, with the minutes. */
  const waiting = async () =>
    (await readRows<{ run_id: string; next_at: Date }>(database, 'run_checks', ofTeam))
      .map(({ run_id: id, next_at: at }) => ({ id: Number(id), minutes: (Number(at) - Date.now()) / 60_000 }))
      .filter(({ minutes }) => minutes > 0);
  await waitUntil('both checks', async () => (await waiting()).length === 2);
  // Of what is whole now the check is forgotten; the other waits for its time.
  await team.checkAgain();
  const [left] = await waitUntil('the next turn', async () => {
    const checks = await waiting();
    return checks.length === 1 && checks;
  });
  assert.ok(left?.id === stuck.id && left.minutes > 20 && left.minutes <= 30, JSON.stringify(left));
  assert.deepEqual([lost, stuck, whole, fresh, old].map(isAsked), [true, true, false, false, false]);
  const entries = (await product.entries(team.integrationId)).filter(
    ({ type }) => type === 'forge_app.runs_corrected',
  );
  assert.deepEqual(
    entries.map(({ title }) => title),
    ['1 run without a completion webhook was updated from the forge'],
  );
  assert.equal(forge.calls.slice(before).filter((call) => call.endsWith(`/runs/${stuck.id}`)).length, 1);
  await updateRows(database, 'run_checks', { next_at: new Date() }, ofTeam);
  await team.checkAgain();
  await waitUntil('a longer wait', async () =>
    (await waiting()).some(({ minutes }) => minutes > 50 && minutes <= 60),
  );
});

test('a run that the forge fails to return delays no other', async () => {
  const repository = newRepository('octo-org/faulty');
  const [faulty, lost] = [newRun(repository, hoursAgo(2)), newRun(repository, hoursAgo(3))];
  repository.runs = [faulty, lost];
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  let faults = 0;
  forge.interfere = (call) => {
    if (!call.endsWith(`/runs/${faulty.id}`)) return undefined;
    faults += 1;
    return { status: 500 };
  };
  for (const { attempts } of [faulty, lost]) {
    const begun = { ...attempts[0], status: 'in_progress', conclusion: null };
    await team.post({
      workflow_run: begun,
      repository: { id: repository.id, full_name: repository.name, default_branch: 'main' },
    });
  }
  await waitUntil('the runs', async () => (await team.runs()).length === 2);
  await waitUntil('the correction', async () => {
    await team.checkAgain();
    return (await team.runs()).some(({ runId, status }) => runId === lost.id && status === 'completed');
  });
  forge.interfere = undefined;
  assert.equal(faults, 1);
});
