import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRepository, newPullRequest, newRun } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { ageRows, countRows, readRows, updateRows } from '#test/support/database/rows.ts';

const { forge, product, newLinkedTeam } = await startLinkedProduct({ RUN_RETENTION_DAYS: '40' });
const { database } = product;

/** The last that the forge says of a run. */
async function reportBegun(
  { post }: Pick<Awaited<ReturnType<typeof newLinkedTeam>>, 'post'>,
  { id, name }: ReturnType<typeof newRepository>,
  run: ReturnType<typeof newRun>,
  at: Date,
): Promise<void> {
  const begun = { status: 'in_progress', conclusion: null, updated_at: at.toISOString() };
  const repository = { id, full_name: name, default_branch: 'main' };
  const workflow_run = { ...run.attempts[0], ...begun };
  const { status } = await post({ action: 'in_progress', workflow_run, repository });
  assert.equal(status, 200);
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

test('history is read for the requested time with attempts and jobs, despite a rate limit, and notifies nobody', async () => {
  const [busy, quiet] = [newRepository('octo-org/busy'), newRepository('octo-org/quiet')];
  busy.runs = Array.from({ length: 90 }, (_, index) =>
    newRun(busy, daysAgo(0.01 + index / 2), {
      conclusion: index === 0 ? 'failure' : 'success',
      attempts: { 1: 3, 2: 13 }[index] ?? 1,
    }),
  );
  quiet.runs = [newRun(quiet, daysAgo(2), { jobs: 2 })];
  quiet.pullRequests = Array.from({ length: 150 }, (_, index) =>
    newPullRequest(500 - index, daysAgo(index / 4 + 2), daysAgo(index / 4)),
  );
  const team = await newLinkedTeam([busy, quiet]);
  await team.provisioned();
  const rule = await team.owner.call('POST', team.path('/notification-rules'), ruleBody());
  assert.equal(rule.status, 201, JSON.stringify(rule.body));

  let limits = 1;
  forge.interfere = (call) =>
    call.endsWith('/runs page 2') && limits-- > 0
      ? { status: 403, headers: { 'retry-after': '1', 'x-ratelimit-remaining': '0' } }
      : undefined;
  const asked = await team.admin.call('POST', team.path(`/forge-app/${team.installationId}/history`), {
    days: 30,
  });
  assert.equal(asked.status, 202);
  await waitUntil('the limit', async () => (await team.state()).history?.state === 'failed');
  const late = await team.state();
  assert.match(late.history?.error ?? '', /rate limit/);
  await waitUntil('the end', async () => (await team.state()).history?.state === 'done');
  forge.interfere = undefined;

  const { history } = await team.state();
  assert.deepEqual([history?.repositories, history?.repositoriesRead, history?.runs], [2, 2, 61]);
  const stored = await team.runs();
  const wanted = [...busy.runs.slice(0, 60), ...quiet.runs];
  assert.deepEqual(stored.map(({ runId }) => runId).sort(), wanted.map(({ id }) => id).sort());
  const again = await team.viewer.call('GET', team.path(`/workflows/${busy.runs[1]!.id}`));
  assert.deepEqual(
    (again.body['attempts'] as { attempt: number; conclusion: string }[]).map(
      ({ attempt, conclusion }) => `${attempt} ${conclusion}`,
    ),
    ['1 failure', '2 failure', '3 success'],
  );
  const callOf = (part: string) => forge.calls.findIndex((call) => call.endsWith(part));
  assert.ok(callOf('/quiet/actions/runs page 1') < callOf('/busy/actions/runs page 2'), 'each in turn');
  const often = forge.calls.filter((call) => call.includes(`/runs/${busy.runs[2]!.id}/attempts/`));
  assert.equal(often.length, 10, 'the latest attempts are enough');
  const page = (query = '') => team.viewer.call('GET', team.path(`/pull-requests?limit=100${query}`));
  const first = await page();
  const rest = await page(`&cursor=${first.body.nextCursor}`);
  assert.deepEqual(
    [...first.body.items, ...rest.body.items].map(({ number, merged }) => [number, merged]),
    Array.from({ length: 120 }, (_, index) => [500 - index, true]),
  );
  const entries = (await product.entries(team.integrationId)).map(({ title }) => title);
  assert.ok(
    entries.includes('The history of octo-org was read: runs 61, repositories 2'),
    entries.join('\n'),
  );
  const incidents = await waitUntil('the incident of what is red now', async () => {
    const { body } = await team.viewer.call('GET', team.path('/incidents'));
    return body.items.length > 0 && body.items;
  });
  assert.deepEqual(
    incidents.map(({ failedRuns, lastFailure }) => [failedRuns, (lastFailure as { runId: number }).runId]),
    [[1, busy.runs[0]!.id]],
  );
  const sent = team.path(`/notification-rules/${String(rule.body['ruleId'])}/deliveries`);
  assert.deepEqual((await team.viewer.call('GET', sent)).body.items, []);

  // A second request reads everything again, except what retention would delete at once.
  await team.owner.call('POST', team.path(`/forge-app/${team.installationId}/history`), { days: 60 });
  await waitUntil('the second end', async () => (await team.state()).history?.runs === 81);
  await waitUntil('its note', async () => (await team.state()).history?.state === 'done');
});

test('the reading of history can be stopped by an admin, but by no lower role', async () => {
  const repository = newRepository('octo-org/long');
  repository.runs = Array.from({ length: 31 }, (_, index) => newRun(repository, daysAgo(index / 100)));
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const path = team.path(`/forge-app/${team.installationId}/history`);
  assert.equal((await team.member.call('POST', path, { days: 3 })).status, 403);
  assert.equal((await team.admin.call('POST', path, { days: 0 })).body.code, 'invalid_request');
  assert.equal((await team.admin.call('DELETE', path)).status, 404);
  forge.interfere = (call) => (call.endsWith('/runs page 2') ? { status: 500 } : undefined);
  assert.equal((await team.admin.call('POST', path, { days: 3 })).status, 202);
  await waitUntil('a failure', async () => (await team.state()).history?.state === 'failed');
  assert.equal((await team.admin.call('DELETE', path)).status, 204);
  forge.interfere = undefined;
  assert.equal((await team.state()).history?.state, 'stopped');
  assert.equal((await team.runs()).length, 30);
  const stranger = team.path('/forge-app/999999/history');
  assert.equal((await team.admin.call('POST', stranger, { days: 3 })).status, 404);
});

test('a history that is stopped during a call stays stopped, whatever the call returns', async () => {
  const repository = newRepository('octo-org/held');
  repository.runs = [newRun(repository, daysAgo(1))];
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const path = team.path(`/forge-app/${team.installationId}/history`);
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  forge.interfere = async (call) => {
    if (!call.includes('/held/actions/runs page')) return undefined;
    asked.resolve();
    await answered.promise;
    return { status: 500 };
  };
  await team.admin.call('POST', path, { days: 3 });
  await asked.promise;
  assert.equal((await team.admin.call('DELETE', path)).status, 204);
  answered.resolve();
  const task = { integration_id: team.integrationId, kind: 'forge-history', leased_until: null };
  await waitUntil('the end of the turn', async () => (await countRows(database, 'tasks', task)) === 1);
  forge.interfere = undefined;
  assert.equal(await countRows(database, 'tasks', { ...task, due_at: null }), 1);
  assert.deepEqual(
    [(await team.state()).history?.state, (await team.state()).history?.error],
    ['stopped', null],
  );
});

test('a repository that the forge refuses to return delays no other', async () => {
  const [closed, open] = [newRepository('octo-org/closed'), newRepository('octo-org/open')];
  for (const repository of [closed, open]) repository.runs = [newRun(repository, daysAgo(1))];
  const team = await newLinkedTeam([closed, open]);
  await team.provisioned();
  forge.interfere = (call) => (call.includes('/octo-org/closed/') ? { status: 403 } : undefined);
  await team.admin.call('POST', team.path(`/forge-app/${team.installationId}/history`), { days: 3 });
  await waitUntil('the end', async () => (await team.state()).history?.state === 'done');
  assert.match((await team.state()).history?.error ?? '', /refused access to octo-org\/closed \(403\)/);
  assert.deepEqual(
    (await team.runs()).map(({ runId }) => runId),
    open.runs.map(({ id }) => id),
  );

  await team.checked();
  const old = new Date(Date.now() - 2 * 3_600_000);
  const [refused, lost] = [newRun(closed, old), newRun(open, old)];
  open.runs.push(lost);
  for (const [repository, run] of [
    [closed, refused],
    [open, lost],
  ] as const) {
    await reportBegun(team, repository, run, old);
  }
  await waitUntil('the runs', async () => (await team.runs()).length === 3);
  await team.checkAgain();
  await waitUntil('the correction', async () =>
    (await team.runs()).some(({ runId, status }) => runId === lost.id && status === 'completed'),
  );
  forge.interfere = undefined;
});

test('a repository that the forge fails to return for hours delays no other', async () => {
  const [faulty, whole] = [newRepository('octo-org/faulty'), newRepository('octo-org/whole')];
  for (const repository of [faulty, whole]) repository.runs = [newRun(repository, daysAgo(1))];
  const team = await newLinkedTeam([faulty, whole]);
  await team.provisioned();
  forge.interfere = (call) => (call.includes('/octo-org/faulty/') ? { status: 502 } : undefined);
  await team.owner.call('POST', team.path(`/forge-app/${team.installationId}/history`), { days: 3 });
  await waitUntil('a failure', async () => (await team.state()).history?.state === 'failed');
  const task = { integration_id: team.integrationId, kind: 'forge-history' };
  const failed = async (times: number) => {
    await updateRows(database, 'tasks', { failures: times, error: null }, task);
    await ageRows(database, 'tasks.due_at', '1 day', task);
  };
  await failed(7);
  await waitUntil('another failure', async () => (await team.state()).history?.state === 'failed');
  assert.deepEqual(await team.runs(), []);
  await failed(8);
  await waitUntil('the end', async () => (await team.state()).history?.state === 'done');
  forge.interfere = undefined;
  assert.match((await team.state()).history?.error ?? '', /failed to return octo-org\/faulty \(502\)/);
  assert.deepEqual(
    (await team.runs()).map(({ runId }) => runId),
    whole.runs.map(({ id }) => id),
  );
});

test('a run without a reported end is read and corrected and rules are evaluated, and an unknown one stays unchanged', async () => {
  const repository = newRepository('octo-org/lost');
  const begun = new Date(Date.now() - 2 * 3_600_000);
  const lost = newRun(repository, begun, { conclusion: 'failure' });
  const unknown = newRun(repository, begun);
  const working = newRun(repository, begun, { status: 'in_progress', conclusion: null });
  repository.runs = [lost, working];
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  await team.checked();
  await team.owner.call('POST', team.path('/notification-rules'), ruleBody());
  for (const run of [lost, unknown, working]) {
    await reportBegun(team, repository, run, begun);
  }
  await waitUntil('the runs', async () => (await team.runs()).length === 3);
  const before = forge.calls.length;
  await team.checkAgain();
  await waitUntil('the correction', async () =>
    (await team.runs()).some(({ runId, conclusion }) => runId === lost.id && conclusion === 'failure'),
  );
  await waitUntil('an incident', async () => {
    const { body } = await team.viewer.call('GET', team.path('/incidents'));
    return body.items.length === 1;
  });
  // Of the run that ended the check is forgotten with the next turn.
  await waitUntil('both other checks', async () => {
    const ofTeam = { integration_id: team.integrationId };
    const checks = await readRows<{ run_id: string; next_at: Date | number }>(database, 'run_checks', ofTeam);
    const next = new Map(checks.map(({ run_id: id, next_at: at }) => [Number(id), at]));
    return next.get(unknown.id) === Infinity && next.get(working.id) instanceof Date;
  });
  const run = await team.viewer.call('GET', team.path(`/workflows/${lost.id}`));
  assert.equal((run.body['jobs'] as unknown[]).length, 1);
  const open = (await team.runs()).filter(({ status }) => status === 'in_progress');
  assert.deepEqual(open.map(({ runId }) => runId).sort(), [unknown.id, working.id].sort());
  await waitUntil('an entry', async () =>
    (await product.entries(team.integrationId)).some(({ type }) => type === 'forge_app.runs_corrected'),
  );
  const asked = forge.calls.slice(before).filter((call) => call.endsWith(`/runs/${unknown.id}`));
  assert.equal(asked.length, 1);
});
