import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunFailures } from '#contract/failures/failures.ts';
import { countRows, readRows } from '#test/support/database/rows.ts';
import { insertTask } from '#test/support/forge/insert-task.ts';
import { onlyKey } from '#server/tasks/task.ts';
import { postFailedJob } from '#test/support/data/failed-job.ts';
import { refused, startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { Compile } from 'typebox/compile';
import { maxGroups } from './limit-groups.ts';
import { failureWaits, reasonTask } from './pending-store.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { database } = product;
const check = Compile(RunFailures);

test('beyond the limit of failure groups the oldest open ones are removed, marked ones stay, and the log says so once a day', async () => {
  const team = await product.newTeam();
  const { integrationId } = team;
  const fail = async (id: number, ago: number) => {
    const step = String.fromCharCode(64 + id).repeat(3);
    await postFailedJob(product.baseUrl, team, { id, ago, step });
    return waitUntil(`the reason of run ${id}`, async () => {
      const { status, body } = await team.viewer.call('GET', team.path(`/workflows/${id}/failures`));
      if (status === 404) return undefined;
      assert.ok(check.Check(body));
      return body.items[0]?.log === 'no_connection' ? body.items[0] : undefined;
    });
  };
  const { groupId: first } = await fail(1, 3000);
  const marked = '00000000-0000-8000-8000-000000000001';
  // They failed after the first one, and the marked one long before.
  await database.asOwner(
    `insert into failure_groups (integration_id, failure_group_id, repository, job, error_line, failures, first_seen_at,
       last_seen_at, status)
     select $1, ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid, 'acme/site', 'build', 'it broke', 1, at, at,
       case when n = 1 then 'acknowledged' else 'open' end
     from generate_series(1, $2::int - 1) n
     cross join lateral (select now() + case when n = 1 then interval '-40 days' else interval '-10 minutes' end as at) t`,
    [integrationId, maxGroups],
  );
  const statusOf = async (groupId: string | null) =>
    (await team.viewer.call('GET', team.path(`/failure-groups/${groupId}`))).status;
  assert.equal(await statusOf(first), 200);
  const { groupId: second } = await fail(2, 60);
  assert.deepEqual([await statusOf(marked), await statusOf(second)], [200, 200]);
  refused(await team.viewer.call('GET', team.path(`/failure-groups/${first}`)), 404, 'not_found');
  const { groupId, errorLine } = await fail(1, 3000);
  assert.deepEqual([groupId, errorLine], [null, 'Step AAA failed'], 'the failure keeps its reason');
  const count = await countRows(database, 'failure_groups', { integration_id: integrationId });
  assert.ok(count < maxGroups, String(count));
  const entries = (await product.entries(integrationId)).filter(
    ({ type }) => type === 'failure.groups_removed',
  );
  assert.equal(entries.length, 1);
});

test('of the failures that wait for their logs, those beyond the limit wait no longer', async () => {
  const { integrationId } = await product.newTeam();
  await database.asOwner(
    `insert into pending_failures (group_id, run_id, attempt, job_id, waits_for_log, noted_at)
     select $1, n, 1, n, true, now() - interval '1 hour' + n * interval '1 ms' from generate_series(1, $2::int + 70) n`,
    [integrationId, failureWaits.logs],
  );
  await insertTask(database, integrationId, { kind: reasonTask, key: onlyKey });
  const left = await waitUntil('those beyond the limit to be taken', async () => {
    const rows = await readRows<{ run_id: string }>(database, 'pending_failures', {
      group_id: integrationId,
    });
    return rows.length === failureWaits.logs && rows;
  });
  const newest = Math.max(...left.map(({ run_id: id }) => Number(id)));
  assert.equal(newest, failureWaits.logs, 'those that have waited longest go on');
});
