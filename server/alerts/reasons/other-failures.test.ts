import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { FailureGroup } from '#contract/failures/failures.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';
import { failedRun, reportRun, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';

const linked = await startLinkedProduct();

const line = (name: string): string =>
  `2026-11-20T12:00:05.0000000Z FAILED tests/test_site.py::${name} - AssertionError: expected 3`;

test('a mark on one failure does not silence another one of the same job', async () => {
  const repository = newRepository('octo-org/two-tests');
  const team = await linked.newLinkedTeam([repository]);
  await team.provisioned();
  const fail = async (...names: string[]) => {
    const failed = failedRun(repository);
    repository.logs.set(failed.job.id, names.map(line).join('\n'));
    await reportRun(linked, team, repository, failed);
    await untilLogIs(team, failed.run.id, 'read');
    await untilEvaluated(linked.product.database, team.integrationId);
    return failed.run.id;
  };
  const groups = async () =>
    (await team.viewer.call('GET', team.path('/failure-groups'))).body['items'] as FailureGroup[];
  const mark = async ({ groupId }: FailureGroup) => {
    const { status } = await team.admin.call('PATCH', team.path(`/failure-groups/${groupId}`), {
      status: 'flaky',
    });
    assert.equal(status, 204);
  };
  /** The failed jobs that the rule matched: without it, only runs count. */
  const matched = async () =>
    ((await team.viewer.call('GET', team.path('/incidents'))).body['items'] as Incident[]).reduce(
      (sum, { failedJobs }) => sum + failedJobs,
      0,
    );
  await fail('test_a');
  await mark((await groups())[0]!);
  const rule = ruleBody({ failureGroups: 'unmarked', events: ['job'] });
  assert.equal((await team.admin.call('POST', team.path('/notification-rules'), rule)).status, 201);
  await fail('test_a');
  assert.equal(await matched(), 0);
  await fail('test_a', 'test_b');
  assert.equal(await matched(), 1);
  const [incident] = (await team.viewer.call('GET', team.path('/incidents'))).body['items'] as Incident[];
  const closed = await team.admin.call('PATCH', team.path(`/incidents/${incident!.incidentId}`), {
    version: incident!.version,
    status: 'closed',
  });
  assert.equal(closed.status, 200);
  // Both are marked: the job is silent again.
  await fail('test_b');
  await mark((await groups()).find(({ errorLine }) => errorLine.includes('test_b'))!);
  const before = await matched();
  await fail('test_a', 'test_b');
  assert.equal(await matched(), before);
});
