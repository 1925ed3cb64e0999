import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { withoutPrivilege } from '#test/support/database/faults.ts';
import { storedText } from '#test/support/database/rows.ts';
import { failedRun, failureOf, reportRun, retryLogs, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { failureAnnotation as annotation } from '#test/support/forge/forge-api-payloads.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const linked = await startLinkedProduct();
const { forge, product, newLinkedTeam } = linked;
const { database } = product;

const report = (...args: Parameters<typeof reportRun> extends [unknown, ...infer Rest] ? Rest : never) =>
  reportRun(linked, ...args);

test('the log of a failed job in a linked repository is read, shown to viewers and encrypted at rest', async () => {
  const repository = newRepository('octo-org/logs');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  repository.logs.set(
    failed.job.id,
    [
      '2026-11-20T12:00:01.0000000Z tests begin',
      '2026-11-20T12:00:02.0000000Z ##[error]expected 3 but got 4',
    ].join('\n'),
  );
  await report(team, repository, failed);
  const failure = await untilLogIs(team, failed.run.id, 'read');
  assert.match(failure.errorLine, /expected 3 but got 4/);
  const lines = failure.excerpts.flatMap((excerpt) => excerpt.lines.flatMap(({ spans }) => spans));
  assert.ok(lines.some(({ text }) => text.includes('tests begin')));
  const stored = await storedText(database, 'failure_reasons', { integration_id: team.integrationId });
  assert.doesNotMatch(stored, /tests begin/);
  const { body } = await team.viewer.call('GET', team.path('/workflows'));
  assert.match(String(body.items[0]?.['errorLine']), /expected 3 but got 4/);
});

test('the log of a renamed repository is read by its newest name', async () => {
  const repository = newRepository('octo-org/renamed');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  await report(team, { ...repository, name: 'octo-org/first-name' }, failedRun(repository));
  const failed = failedRun(repository);
  Object.assign(failed.run.attempts[0]!, { updated_at: new Date().toISOString() });
  repository.logs.set(failed.job.id, '2026-11-20T12:00:02.0000000Z ##[error]expected 3 but got 4');
  await report(team, repository, failed);
  const failure = await untilLogIs(team, failed.run.id, 'read');
  assert.match(failure.errorLine, /expected 3 but got 4/);
  const rerun = team.path(`/workflows/${failed.run.id}/rerun`);
  assert.equal((await team.member.call('POST', rerun, { scope: 'all' })).status, 202);
});

test('a log that the forge has deleted leaves the reason of the steps and an entry in the event log', async () => {
  const repository = newRepository('octo-org/expired');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  forge.interfere = async (call) =>
    call.endsWith(`/jobs/${failed.job.id}/logs`) ? { status: 410 } : undefined;
  await report(team, repository, failed);
  const failure = await untilLogIs(team, failed.run.id, 'unreadable');
  assert.match(failure.errorLine, /failed$/);
  assert.ok(failure.groupId);
  await waitUntil('the entry in the event log', async () => {
    const entries = await product.entries(team.integrationId);
    return entries.some(({ type }) => type === 'failure.log_unreadable');
  });
});

test('a forge that fails delays the reason, while the run is stored and shown', async () => {
  const repository = newRepository('octo-org/down');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  let isDown = true;
  forge.interfere = async (call) =>
    isDown && call.endsWith(`/jobs/${failed.job.id}/logs`) ? { status: 500 } : undefined;
  await report(team, repository, failed);
  const isTried = () => forge.calls.some((call) => call.endsWith(`/jobs/${failed.job.id}/logs`));
  await waitUntil('the first try', isTried);
  assert.equal((await untilLogIs(team, failed.run.id, 'reading')).groupId, null);
  isDown = false;
  repository.logs.set(failed.job.id, '##[error]it broke');
  await waitUntil('the reason', async () => {
    await retryLogs(database, team.integrationId);
    return (await failureOf(team, failed.run.id))?.log === 'read';
  });
});

test('reasons that were read before the forge failed are stored', async () => {
  const repository = newRepository('octo-org/half-down');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const [first, readable, failing] = [failedRun(repository), failedRun(repository), failedRun(repository)];
  const gate = makeGate();
  gate.close();
  forge.interfere = async (call) => {
    if (call.endsWith(`/jobs/${first.job.id}/logs`)) await gate.passed();
    return call.endsWith(`/jobs/${failing.job.id}/logs`) ? { status: 500 } : undefined;
  };
  for (const { job } of [first, readable]) repository.logs.set(job.id, '##[error]it broke');
  await report(team, repository, first);
  await waitUntil('the first log to be read', () => gate.waiting() > 0);
  // Both wait for the end of the first, and are read together.
  await report(team, repository, readable);
  await report(team, repository, failing);
  gate.open();
  await untilLogIs(team, readable.run.id, 'read');
  assert.equal((await failureOf(team, failing.run.id))?.log, 'reading');
});

test('a reason is stored also when its place at the forge cannot be given up', async () => {
  const repository = newRepository('octo-org/kept-place');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  const gate = makeGate();
  gate.close();
  forge.interfere = async (call) => {
    if (call.endsWith(`/jobs/${failed.job.id}/logs`)) await gate.passed();
    return undefined;
  };
  repository.logs.set(failed.job.id, '##[error]it broke');
  await report(team, repository, failed);
  await waitUntil('the log to be read', () => gate.waiting() > 0);
  const read = async () => {
    gate.open();
    await untilLogIs(team, failed.run.id, 'read');
  };
  await withoutPrivilege(database, 'insert', 'forge_budgets', read, 'worker');
});

test('a forge that hangs delays the reasons of its own integration only', async () => {
  const [slow, quick] = [newRepository('octo-org/slow'), newRepository('octo-org/quick')];
  const [slowTeam, quickTeam] = [await newLinkedTeam([slow]), await newLinkedTeam([quick])];
  await Promise.all([slowTeam.provisioned(), quickTeam.provisioned()]);
  const [hanging, answered] = [failedRun(slow), failedRun(quick)];
  const gate = makeGate();
  gate.close();
  forge.interfere = async (call) => {
    if (!call.endsWith(`/jobs/${hanging.job.id}/logs`)) return undefined;
    await gate.passed();
    return undefined;
  };
  quick.logs.set(answered.job.id, '##[error]it broke');
  slow.logs.set(hanging.job.id, '##[error]it broke late');
  await report(slowTeam, slow, hanging);
  await waitUntil('the slow forge to be asked', () => gate.waiting() > 0);
  await report(quickTeam, quick, answered);
  await untilLogIs(quickTeam, answered.run.id, 'read');
  assert.equal((await failureOf(slowTeam, hanging.run.id))?.log, 'reading');
  gate.open();
  await untilLogIs(slowTeam, hanging.run.id, 'read');
});

test('an annotation about a lost runner is the reason at once, also when the forge has no log', async () => {
  const repository = newRepository('octo-org/lost-runner');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  const message =
    'The hosted runner: GitHub Actions 9 lost communication with the server. Anything else is unknown.';
  repository.annotations.set(failed.job.id, [annotation(message)]);
  forge.interfere = async (call) =>
    call.endsWith(`/jobs/${failed.job.id}/logs`) ? { status: 404 } : undefined;
  await report(team, repository, failed);
  const failure = await untilLogIs(team, failed.run.id, 'read');
  assert.equal(failure.errorLine, message);
  assert.deepEqual(
    [failure.assessment?.kind, failure.assessment?.infrastructure],
    ['infrastructure', 'runner_lost'],
  );
  const tries = forge.calls.filter((call) => call.endsWith(`/jobs/${failed.job.id}/logs`));
  assert.equal(tries.length, 1);
});

test('a rule that leaves out known flaky failures reports another failing test of the same step', async () => {
  const repository = newRepository('octo-org/two-tests');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const { status } = await team.admin.call(
    'POST',
    team.path('/notification-rules'),
    ruleBody({ failureGroups: 'unmarked' }),
  );
  assert.equal(status, 201);
  const file = path.join(import.meta.dirname, '../../../test/vectors/failure-logs/tools.json');
  const { tools } = JSON.parse(readFileSync(file, 'utf8')) as {
    tools: { tool: string; one: string[]; other: string[] }[];
  };
  const { one, other } = tools.find(({ tool }) => tool === 'mocha')!;
  const fail = async (lines: string[]) => {
    const failed = failedRun(repository);
    const log = [...lines, '##[error]Process completed with exit code 1.'];
    repository.logs.set(failed.job.id, log.map((line) => `2026-11-20T12:00:02.0000000Z ${line}`).join('\n'));
    repository.annotations.set(failed.job.id, [annotation('Process completed with exit code 1.')]);
    await report(team, repository, failed);
    return { runId: failed.run.id, failure: await untilLogIs(team, failed.run.id, 'read') };
  };
  const first = await fail(one);
  assert.match(first.failure.errorLine, /^cart › basics › sums prices: /);
  const groupPath = team.path(`/failure-groups/${first.failure.groupId}`);
  assert.equal((await team.member.call('PATCH', groupPath, { status: 'flaky' })).status, 204);
  const again = await fail(one);
  assert.equal(again.failure.groupStatus, 'flaky');
  const second = await fail(other);
  assert.match(second.failure.errorLine, /^login › basics › rejects a wrong password: /);
  assert.notEqual(second.failure.groupId, first.failure.groupId);
  await waitUntil('the incident about the other test', async () => {
    const { body } = await team.viewer.call('GET', team.path('/incidents'));
    const incidents = body.items as unknown as { lastFailure: { runId: number } }[];
    return incidents.some(({ lastFailure }) => lastFailure.runId === second.runId);
  });
});
