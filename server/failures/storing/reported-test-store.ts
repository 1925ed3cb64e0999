import type { WorkflowJob } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';

/** A test that failed in a job, as a report says. */
export interface ReportedTest {
  testId: string;
  className: string;
  name: string;
  file: string | null;
  reportId: string;
  sealedText: Buffer | null;
  /** The report names the job. Else it names no job of the attempt, and may be that of another job. */
  isOfJob: boolean;
  isQuarantined: boolean;
}

const mostReports = 500;
const mostFailures = 2000;
const mostOfJob = 200;

const namesJob = `(coalesce(r.job_id = j.job_id, false) or r.job in (j.name, j.job_id::text))`;

/** The tests that failed in each of the jobs, in the order of their names. */
export async function listReportedTests(
  tx: Tx,
  integrationId: string,
  jobs: readonly Pick<WorkflowJob, 'runId' | 'attempt' | 'jobId' | 'name'>[],
): Promise<ReportedTest[][]> {
  const rows = await tx.rows<ReportedTest & { place: number }>({
    name: 'list-reported-tests',
    text: `select j.place::int, f.test_id as "testId", t.class_name as "className", t.name, t.file, f.report_id as "reportId",
             f.sealed_text as "sealedText", f.is_of_job as "isOfJob", exists (
               select from test_quarantines q
               where q.integration_id = $1 and q.test_id = f.test_id and q.until > now()) as "isQuarantined"
           from unnest($2::bigint[], $3::integer[], $4::bigint[], $5::text[]) with ordinality j (run_id, attempt, job_id, name, place)
           cross join lateral (
             select x.test_id, x.report_id, x.sealed_text, r.is_of_job
             from (select r.report_id, ${namesJob} as is_of_job from test_reports r
                   where r.integration_id = $1 and r.run_id = j.run_id and r.attempt = j.attempt and r.failures > 0
                     and (${namesJob} or r.job_id is null and r.job <> all (array(
                       select o.name from workflow_jobs o
                       where o.integration_id = $1 and o.run_id = j.run_id and o.attempt = j.attempt)))
                   limit ${mostReports}) r
             join (select test_id, report_id, sealed_text from test_failures
                   where integration_id = $1 and run_id = j.run_id and attempt = j.attempt and counts and not passed
                   order by test_id limit ${mostFailures}) x on x.report_id = r.report_id
             order by r.is_of_job desc, x.test_id limit ${mostOfJob}) f
           join tests t on t.integration_id = $1 and t.test_id = f.test_id
           order by j.place, t.class_name, t.name, f.test_id, f.is_of_job desc`,
    values: [integrationId, ...columnsOf(jobs, 'runId', 'attempt', 'jobId', 'name')],
  });
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return jobs.map((_, index) => byPlace.get(index + 1) ?? []);
}
