import { literals } from '#platform/database/rows/literals.ts';
import { decidedConclusions } from '#contract/runs/conclusions.ts';

const decided = literals(decidedConclusions);

/**
 * SQL: selects how the job of a re-run ended in the last earlier attempt of its run that completed it. Forges cut long names, and reusable
 * workflows repeat short ones: where jobs of one name ended differently in one of both attempts, nobody can tell which of them it was, and
 * no row is selected.
 */
export const earlierResult = (job: string): string => `
  select b.conclusion = 'success' as has_passed, b.started_at, b.completed_at from (
    select * from workflow_jobs x
    where x.integration_id = ${job}.integration_id and x.run_id = ${job}.run_id and x.attempt < ${job}.attempt
      and x.name = ${job}.name and x.conclusion in ${decided}
    order by x.attempt desc, x.job_id desc limit 1) b
  where not exists (
    select from workflow_jobs twin
    where twin.integration_id = b.integration_id and twin.run_id = b.run_id and twin.attempt in (b.attempt, ${job}.attempt)
      and twin.name = b.name and twin.conclusion in ${decided} and (twin.conclusion = 'success')
        <> (case when twin.attempt = b.attempt then b.conclusion else ${job}.conclusion end = 'success'))`;

/** SQL: the job of a re-run had another result than before. */
export const isFlip = (
  job: string,
): string => `(${job}.conclusion in ${decided} and (${job}.conclusion = 'success') <> (
  select e.has_passed from (${earlierResult(job)}) e))`;
