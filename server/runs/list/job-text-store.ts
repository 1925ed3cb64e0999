/** Of a run. A run with more jobs is found by the others and by those that failed. */
const mostSearchedJobs = 30;

/**
 * SQL: the jobs of all attempts of the run `r` with their error lines, as one text. A run that passed on re-run is found by what failed
 * before.
 */
export const jobTexts = `coalesce((
    select string_agg(concat_ws(' ', f.error_line, f.job, f.step), ' ') from (
      select * from failure_reasons f where f.integration_id = r.integration_id and f.run_id = r.run_id
      limit ${mostSearchedJobs}) f), '')
  || ' ' || coalesce((
    select string_agg(j.name, ' ') from (
      select j.name from workflow_jobs j where j.integration_id = r.integration_id and j.run_id = r.run_id
      limit ${mostSearchedJobs}) j), '')`;
