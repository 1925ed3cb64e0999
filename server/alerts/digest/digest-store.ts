import type { Tx } from '#platform/database/database.ts';

interface Week {
  from: number;
  to: number;
}

const valuesOf = (integrationId: string, { from, to }: Week): [string, Date, Date] => [
  integrationId,
  new Date(from),
  new Date(to),
];

/** Groups that are compared with the patterns of a rule. */
const mostGroups = 1000;

export interface FrequentFailure {
  groupId: string;
  repository: string;
  workflow: string | null;
  job: string;
  errorLine: string;
  failures: number;
}

/** The failure groups of a week by their failed jobs, most first. */
export function listFrequentFailures(tx: Tx, integrationId: string, week: Week): Promise<FrequentFailure[]> {
  return tx.rows<FrequentFailure>(
    `select g.failure_group_id as "groupId", g.repository, g.workflow, g.job, g.error_line as "errorLine", k.failures
     from (select failure_group_id, count(*)::int as failures from failure_reasons
           where integration_id = $1 and failed_at >= $2 and failed_at < $3
           group by 1 order by 2 desc, 1 limit ${mostGroups}) k
     join failure_groups g on g.integration_id = $1 and g.failure_group_id = k.failure_group_id
     order by k.failures desc, g.failure_group_id`,
    valuesOf(integrationId, week),
  );
}

/** Time of tries of tests that failed before a pass, by repository, of the days (UTC) of a week. */
export function sumLostInTests(
  tx: Tx,
  integrationId: string,
  week: Week,
): Promise<{ repository: string; lostMs: number }[]> {
  return tx.rows(
    `select t.repository, sum(d.lost_ms)::float8 as "lostMs"
     from test_days d join tests t on t.integration_id = $1 and t.test_id = d.test_id
     where d.integration_id = $1 and d.day >= ($2::timestamptz at time zone 'UTC')::date
       and d.day < ($3::timestamptz at time zone 'UTC')::date and d.lost_ms > 0
     group by 1`,
    valuesOf(integrationId, week),
  );
}

/** Whether the rule sent a digest for a time after `since`. */
export function hasDigestSince(
  tx: Tx,
  integrationId: string,
  ruleId: string,
  since: number,
): Promise<boolean> {
  return tx.some(
    `select from notifications where integration_id = $1 and rule_id = $2 and kind = 'digest' and failure_at > $3`,
    [integrationId, ruleId, new Date(since)],
  );
}
