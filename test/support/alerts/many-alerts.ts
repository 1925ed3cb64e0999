import type { TestDatabase } from '#test/support/database/test-database.ts';

export const userId = '00000000-0000-4000-8000-000000000001';
export const ruleId = '00000000-0000-4000-8000-000000000002';
export const incidentId = '00000000-0000-4000-8000-000000000003';

/** Fills the tables of alerts, and those that they read, with as many rows for each of the integrations. */
export async function insertManyAlerts(
  database: TestDatabase,
  integrationIds: readonly string[],
): Promise<void> {
  const failure = `'{"runId": 7, "at": "2026-01-01T00:00:00Z"}'::jsonb`;
  const ids = 'unnest($1::uuid[]) id, generate_series(1, 500) n';
  for (const text of [
    `insert into users (user_id, cognito_id, forge_login) select $2, 'ann', 'ann' where cardinality($1::uuid[]) > 0`,
    `insert into users (cognito_id, forge_login) select 'user-' || n, 'user-' || n from generate_series(1, 2000 + 0 * cardinality($1::uuid[])) n
     where $2::uuid is not null`,
    `insert into memberships (integration_id, user_id, role) select id, user_id, 'viewer' from unnest($1::uuid[]) id, users
     where $2::uuid is not null`,
    `insert into notification_rules (integration_id, rule_id, name, enabled, definition)
     select id, '${ruleId}', 'Rule', true, '{}' from unnest($1::uuid[]) id where $2::uuid is not null`,
    `insert into incidents (integration_id, incident_id, branch_key, repository, workflow, branch, opened_at, closed_at, close_reason,
       failed_runs, failed_jobs, first_failure, last_failure, assignee_id)
     select id, case when n = 1 then '${incidentId}' else gen_random_uuid() end, sha256(n::text::bytea), 'acme/site', 'CI', 'topic ' || n,
       now() - n * interval '1 hour', case when n % 10 > 0 then now() end, case when n % 10 > 0 then 'recovered' end, 1, 0,
       ${failure}, ${failure}, case when n % 50 = 0 then $2::uuid end from ${ids}`,
    `insert into workflow_owners (integration_id, repository, workflow, user_id)
     select id, 'acme/site', 'CI ' || n, $2 from ${ids}`,
    `insert into incident_failures (integration_id, incident_id, run_id, attempt, job_id, failure)
     select integration_id, incident_id, n, 1, 0, ${failure} from incidents, generate_series(1, 3) n
     where $2::uuid is not null and integration_id = any ($1)`,
    `insert into notifications (integration_id, rule_id, channel_id, incident_id, branch_key, kind, status, channel_type, target)
     select integration_id, '${ruleId}', gen_random_uuid(), incident_id, branch_key, 'opened', 'sent', 'email', ''
     from incidents where $2::uuid is not null and integration_id = any ($1)`,
    ...['branch_successes:branch_key', 'job_successes:job_key'].map((each) => {
      const [table, column] = each.split(':');
      return `insert into ${table} (integration_id, ${column}, run_id, attempt)
        select id, sha256(n::text::bytea), n, 1 from ${ids} where $2::uuid is not null`;
    }),
    `insert into branch_ends (integration_id, place_key, ended_at)
     select id, sha256(n::text::bytea), now() from ${ids} where $2::uuid is not null`,
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, created_at,
       pull_requests, head_branch, workflow_name, conclusion)
     select id, n, 1, '', 'acme/site', 'completed', n % 3 = 0, now() - n * interval '1 minute', '{}', 'topic ' || n % 50, 'CI', 'failure'
     from ${ids} where $2::uuid is not null`,
    `insert into workflow_jobs (integration_id, run_id, attempt, version, repository, status, on_default_branch, job_id, name, labels,
       steps, created_at, conclusion)
     select id, n, 1, '', 'acme/site', 'completed', true, n, 'build', '{}', '[]', now(), 'failure'
     from ${ids} where $2::uuid is not null`,
    `insert into pull_requests (integration_id, repository, number, version, draft, merged, labels, head_branch, head_repository, state)
     select id, 'acme/site', n, '', false, false, '{}', 'topic ' || n, 'acme/site', 'closed' from ${ids} where $2::uuid is not null`,
    `insert into failure_reasons (integration_id, run_id, attempt, job_id, failure_group_id, repository, on_default_branch, job,
       error_line, failed_at)
     select id, n, 1, n, gen_random_uuid(), 'acme/site', true, 'build', 'it broke', now() from ${ids} where $2::uuid is not null`,
    `insert into pending_failures (group_id, run_id, attempt, job_id, waits_for_log)
     select id, n, 1, n, true from ${ids} where $2::uuid is not null`,
    `insert into pending_evaluations (group_id, run_id, attempt) select id, n, 1 from ${ids} where $2::uuid is not null`,
    `insert into pending_branch_ends (group_id, repository, number)
     select id, 'acme/site', n from ${ids} where $2::uuid is not null`,
    `insert into personal_notifications (user_id, enabled, email) select user_id, true, '' from users
     where $2::uuid is not null and cardinality($1::uuid[]) > 0`,
    `insert into personal_failures (integration_id, branch_key, user_id, run_id, attempt)
     select id, sha256(n::text::bytea), $2, n, 1 from ${ids}`,
  ])
    await database.asOwner(text, [integrationIds, userId]);
  await database.asOwner('analyze');
}
