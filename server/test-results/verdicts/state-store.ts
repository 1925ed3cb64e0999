import { flakyDays } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { anyOf } from './pass-sql.ts';

export interface TestIdentity {
  testId: string;
  repository: string;
  suite: string;
  className: string;
  name: string;
  file: string | null;
}

/** Of tests `t`. */
export const identityColumns = `t.test_id as "testId", t.repository, t.suite, t.class_name as "className", t.name, t.file`;

export interface StateOfTest extends TestIdentity {
  brokenSince: Date | null;
  /** Null if it is not flaky. */
  flakySince: Date | null;
}

/** The states of tests that are in no quarantine. A broken test is not called flaky. */
export function listStates(
  tx: Tx,
  integrationId: string,
  testIds: readonly string[],
): Promise<StateOfTest[]> {
  return tx.rows<StateOfTest>(
    `select ${identityColumns}, t.broken_since as "brokenSince",
       case when t.broken_since is null and t.last_flaky_at > now() - interval '${flakyDays} days' then t.flaky_since end as "flakySince"
     from tests t
     where t.integration_id = $1 and t.test_id = ${anyOf('$2')} and not exists (
       select from test_quarantines q where q.integration_id = $1 and q.test_id = t.test_id and q.until > now())
     order by t.class_name, t.name, t.test_id`,
    [integrationId, testIds],
  );
}
