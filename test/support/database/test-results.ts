import type { TestDatabase } from './test-database.ts';

/** Rows of 5,000 tests, each with days and failures, and of 5,000 reports. */
export async function insertManyTestResults(database: TestDatabase, integrationId: string): Promise<void> {
  const testId = `('b0000000-0000-4000-8000-' || lpad((n % 5000)::text, 12, '0'))::uuid`;
  const reportId = `('c0000000-0000-4000-8000-' || lpad((n % 5000)::text, 12, '0'))::uuid`;
  for (const text of [
    `insert into tests (integration_id, test_id, repository, repository_key, suite, ordinal, class_name, name, first_seen_at,
       last_seen_at, last_failed_at)
     select $1, ${testId}, 'acme/site', 1, 'unit', n, 'cart', 'test ' || n, now(), now(), now() - n * interval '1 minute'
     from generate_series(0, 4999) n`,
    `insert into test_days (integration_id, test_id, day, on_main, failures, flakes, lost_ms)
     select $1, ${testId}, (now() at time zone 'UTC')::date - n / 5000, true, 1, 0, 0 from generate_series(0, 19999) n`,
    `insert into test_day_blocks (integration_id, repository_key, suite, block, day, on_main, passes, skips, duration_ms)
     select $1, 1, 'unit', n, (now() at time zone 'UTC')::date - days, true, array_fill(1, '{256}'), '{}', array_fill(10::bigint, '{256}')
     from generate_series(0, 255) n, generate_series(0, 3) days`,
    `insert into test_reports (integration_id, report_id, hash, run_id, attempt, job, suite, repository_key, head_sha, on_main, format,
       tests, failures, skips, flakes, duration_ms, faults, is_mass_failure, at)
     select $1, ${reportId}, decode(md5(n::text), 'hex'), n, 1, 'unit', 'unit', 1, 'sha ' || n, true, 'junit', 9, 1, 0, 0, 10, '{}',
       false, now() - n * interval '1 minute' from generate_series(0, 4999) n`,
    `insert into test_failures (integration_id, test_id, report_id, run_id, attempt, job, branch, on_main, passed, is_flaky, counts, retries,
       message_key, at)
     select $1, ${testId}, ${reportId}, n, 1, 'unit', 'main', true, false, false, true, 0, 1, now() - n * interval '1 minute'
     from generate_series(0, 4999) n`,
  ])
    await database.asOwner(text, [integrationId]);
}
