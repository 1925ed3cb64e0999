import { decidedConclusions } from '#contract/runs/conclusions.ts';
import { literals } from '#platform/database/rows/literals.ts';

const isDecided = `status = 'completed' and conclusion in ${literals(decidedConclusions)}`;

/** SQL: the attempts of the run `run` that passed or failed. */
export const decidedAttempts = (run: string): string => `
  select * from (
    select ${run}.attempt, ${run}.status, ${run}.conclusion, ${run}.started_at, ${run}.completed_at
    union all
    select a.attempt, a.status, a.conclusion, a.started_at, a.completed_at from workflow_run_attempts a
    where ${run}.attempt > 1 and a.integration_id = ${run}.integration_id and a.run_id = ${run}.run_id) attempts
  where ${isDecided}`;

/**
 * SQL: joins `result`, the newest attempt of the run `run` that passed or failed, of those with `condition`. A re-run that is in progress or
 * was cancelled takes no failure back.
 */
export const joinResult = (run: string, condition = 'true'): string =>
  `left join lateral (${decidedAttempts(run)} and ${condition} order by attempt desc limit 1) result on true`;
