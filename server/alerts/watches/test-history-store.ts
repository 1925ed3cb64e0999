import type { Tx } from '#platform/database/database.ts';
import { branchOf } from '#contract/runs/merge-group.ts';
import type { ChangedTest } from './test-changes.ts';

/** The newest of them. A team with more has other work to do than to read notifications. */
const mostTests = 5000;

interface TestRow {
  test_id: string;
  repository: string;
  class_name: string;
  name: string;
  quarantined_until: Date | null;
  quarantine_ended_at: Date | null;
  since: Date;
  run_id: number;
  attempt: number;
  on_main: boolean;
  workflow_name: string | null;
  head_branch: string | null;
  head_repository: string | null;
  url: string | null;
}

/** Tests `t` of `tests`, with the run of their first failure since `since`. */
const withRun = (tests: string, since: string): string => `
  select t.test_id, t.repository, t.class_name, t.name, ${since} as since, f.run_id::float8 as run_id, f.attempt, f.on_main,
    r.workflow_name, r.head_branch, r.head_repository, r.url,
    case when t.quarantine_ended_at > ${since} then t.quarantine_ended_at end as quarantine_ended_at,
    -- Until it is noted that it has ended: \`quarantine_ended_at\` is part of the key of the incident.
    (select q.until from test_quarantines q where q.integration_id = $1 and q.test_id = t.test_id) as quarantined_until
  from (${tests}) t
  cross join lateral (
    select run_id, attempt, on_main from test_failures
    where integration_id = $1 and test_id = t.test_id and at >= ${since} and counts
    order by at, report_id limit 1) f
  join workflow_runs r on r.integration_id = $1 and r.run_id = f.run_id
  order by since, t.class_name, t.name, t.test_id`;

/** Tests that fail on the default branch. Those that have not failed since `from` are not run any more. */
export function listBrokenTests(tx: Tx, integrationId: string, from: Date): Promise<ChangedTest[]> {
  return list(
    tx,
    withRun(
      `select * from tests where integration_id = $1 and last_failed_at >= $2 and broken_since is not null
       order by last_failed_at desc, test_id limit ${mostTests}`,
      't.broken_since',
    ),
    [integrationId, from],
  );
}

/** Tests that are flaky. A test that was broken before its first flake is left out, because that is told already. */
export function listFlakyTests(tx: Tx, integrationId: string, from: Date): Promise<ChangedTest[]> {
  return list(
    tx,
    withRun(
      `select * from tests where integration_id = $1 and last_flaky_at > $2
         and (broken_since is null or broken_since > flaky_since)
       order by last_flaky_at desc, test_id limit ${mostTests}`,
      't.flaky_since',
    ),
    [integrationId, from],
  );
}

async function list(tx: Tx, text: string, values: unknown[]): Promise<ChangedTest[]> {
  const rows = await tx.rows<TestRow>(text, values);
  return rows.map((row) => ({
    testId: row.test_id,
    repository: row.repository,
    workflow: row.workflow_name,
    branch: branchOf(row.head_branch, row.head_repository, row.repository),
    onDefaultBranch: row.on_main,
    className: row.class_name,
    name: row.name,
    quarantinedUntil: row.quarantined_until,
    quarantineEnded: row.quarantine_ended_at?.getTime() ?? null,
    runId: row.run_id,
    attempt: row.attempt,
    url: row.url,
    since: row.since.getTime(),
  }));
}
