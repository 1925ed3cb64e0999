import { failedConclusions } from '#contract/runs/conclusions.ts';
import { mostQuarantined } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { literals } from '#platform/database/rows/literals.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';

/** Failed jobs of a run that are compared with reports. A run with more of them is not left out. */
const mostJobs = 200;

/**
 * Adds to each failure whether its reports name failed tests and all of these are in quarantine. That is so for a run if it is so for
 * each of its failed jobs. Without a report that belongs to the job it is not.
 */
export async function addQuarantineFacts<T extends Completion>(
  tx: Tx,
  integrationId: string,
  completions: readonly T[],
): Promise<T[]> {
  const failures = completions.filter(({ conclusion }) => conclusion !== 'success');
  if (failures.length === 0) return [...completions];
  const rows = await tx.rows<{ isQuarantined: boolean }>({
    name: 'find-quarantine-facts',
    text: `select coalesce(bool_and(o.is_quarantined) and count(*) <= ${mostJobs}, false) as "isQuarantined"
           from unnest($2::bigint[], $3::integer[], $4::bigint[]) with ordinality c (run_id, attempt, job_id, place)
           left join lateral (
             select ${isQuarantined} as is_quarantined from workflow_jobs j
             where j.integration_id = $1 and j.run_id = c.run_id and j.attempt = c.attempt
               and (c.job_id is null or j.job_id = c.job_id) and j.conclusion in ${literals(failedConclusions)}
             limit ${mostJobs + 1}) o on true
           group by c.place order by c.place`,
    values: [integrationId, ...columnsOf(failures, 'runId', 'attempt', 'jobId')],
  });
  const facts = new Map<Completion, boolean>(
    failures.map((failure, place) => [failure, rows[place]?.isQuarantined === true]),
  );
  return completions.map((completion) => {
    const known = facts.get(completion);
    return known === undefined ? completion : { ...completion, isQuarantined: known };
  });
}

const ofAttempt = 'r.integration_id = $1 and r.run_id = j.run_id and r.attempt = j.attempt';

/** The report names the job `j`, or it names no job and no other job of the attempt failed. */
const belongsToJob = `(r.job_id = j.job_id or r.job in (j.name, j.job_id::text) or not exists (
  select from workflow_jobs other
  where other.integration_id = $1 and other.run_id = j.run_id and other.attempt = j.attempt
    and (other.name = r.job or other.job_id = r.job_id or other.job_id <> j.job_id
      and other.conclusion in ${literals(failedConclusions)})))`;

/** A report with more failures than can be in quarantine is not searched. */
const isHopeless = `(r.is_mass_failure or r.failures > ${mostQuarantined} or r.sealed_results is not null)`;

/** Whether tests failed in the job `j`, and all of them are in quarantine. A test that passed when it was tried again did not fail. */
const isQuarantined = `(
  not exists (select from test_reports r where ${ofAttempt} and ${isHopeless} and ${belongsToJob})
  and coalesce((
    select bool_and(q.test_id is not null) from test_reports r
    join test_failures f on f.integration_id = $1 and f.run_id = r.run_id and f.attempt = r.attempt and f.report_id = r.report_id
      and not f.passed
    left join test_quarantines q on q.integration_id = $1 and q.test_id = f.test_id and q.until > now()
    where ${ofAttempt} and not ${isHopeless} and ${belongsToJob}), false))`;
