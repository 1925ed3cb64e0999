/** Reports `r` of a suite on the default branch that count. `$1` to `$3` are the integration, the key of the repository and the suite. */
export const mainReports =
  'r.integration_id = $1 and r.repository_key = $2 and r.suite = $3 and r.on_main and not r.is_mass_failure';

/** Failures `f` of the test `t` on the default branch that count. */
export const mainFailures =
  'f.integration_id = $1 and f.test_id = t.test_id and f.on_main and f.counts and not f.passed';

/**
 * Whether the test `t` passed in the report `r`. If it failed in another report of the job in the same attempt, the failure counts: jobs of a
 * matrix may report under one name.
 */
export const passedIn = `has_bit(r.passed, t.ordinal) and not exists (
  select from test_failures x
  where x.integration_id = r.integration_id and x.run_id = r.run_id and x.attempt = r.attempt and x.test_id = t.test_id
    and x.job = r.job and x.counts and not x.passed)`;

/**
 * One of the ids in an array. Postgres does not know their number when it plans, so it looks each of them up. Before its first statistics of a new
 * table, it would rather read all tests.
 */
export const anyOf = (parameter: string): string => `any (array(select unnest(${parameter}::uuid[])))`;
