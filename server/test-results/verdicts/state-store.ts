import { backTestDays } from '#contract/alerts/back-test.ts';
import { flakyDays } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import type { ChangedTest } from '#server/webhook-events/announce-tests.ts';
import { anyOf } from './pass-sql.ts';

export interface TestIdentity {
  testId: string;
  repository: string;
  suite: string;
  className: string;
  name: string;
  file: string | null;
}

/** The part of a test that webhooks tell. */
export function identityOf({ testId, repository, suite, className, name, file }: TestIdentity): TestIdentity {
  return { testId, repository, suite, className, name, file };
}

/** Of tests `t`. */
export const identityColumns = `t.test_id as "testId", t.repository, t.suite, t.class_name as "className", t.name, t.file`;

export interface StateOfTest extends TestIdentity {
  brokenSince: Date | null;
  /** Null if it is not flaky. */
  flakySince: Date | null;
}

const sinceColumns = `t.broken_since as "brokenSince",
       case when t.broken_since is null and t.last_flaky_at > now() - interval '${flakyDays} days' then t.flaky_since end as "flakySince"`;

/** The states of tests that are in no quarantine whose end is still to be noted. A broken test is not called flaky. */
export function listStates(
  tx: Tx,
  integrationId: string,
  testIds: readonly string[],
): Promise<StateOfTest[]> {
  return tx.rows<StateOfTest>(
    `select ${identityColumns}, ${sinceColumns} from tests t
     where t.integration_id = $1 and t.test_id = ${anyOf('$2')} and not exists (
       select from test_quarantines q where q.integration_id = $1 and q.test_id = t.test_id)
     order by t.class_name, t.name, t.test_id`,
    [integrationId, testIds],
  );
}

type StateWithRun = StateOfTest & ChangedTest['run'];

/** The states of tests that are broken or flaky, each with the run of its first failure in that state. Those that have not failed for long are not run any more. */
export function listStatesWithRuns(
  tx: Tx,
  integrationId: string,
  testIds: readonly string[],
): Promise<StateWithRun[]> {
  return tx.rows<StateWithRun>(
    `select s.*, f.run_id::float8 as "runId", f.attempt, r.head_branch as branch, r.head_sha as "headSha"
     from (select ${identityColumns}, ${sinceColumns} from tests t
           where t.integration_id = $1 and t.test_id = ${anyOf('$2')}
             and t.last_failed_at > now() - interval '${backTestDays} days') s
     cross join lateral (
       select run_id, attempt from test_failures
       where integration_id = $1 and test_id = s."testId" and at >= coalesce(s."brokenSince", s."flakySince") and counts
       order by at, report_id limit 1) f
     join workflow_runs r on r.integration_id = $1 and r.run_id = f.run_id
     order by s."className", s.name, s."testId"`,
    [integrationId, testIds],
  );
}
