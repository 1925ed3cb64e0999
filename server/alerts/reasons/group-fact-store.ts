import { literals } from '#platform/database/rows/literals.ts';
import { failedConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { Completion, GroupFacts } from '#server/alerts/rules/matching-rules.ts';

/**
 * Adds what is known about the failure groups of each failure. A failed job without a reason counts as new and unmarked, and so does a
 * run without failed jobs.
 */
export async function addGroupFacts<T extends Completion>(
  tx: Tx,
  integrationId: string,
  completions: readonly T[],
): Promise<T[]> {
  const failures = completions.filter(({ conclusion }) => conclusion !== 'success');
  if (failures.length === 0) return [...completions];
  const { rows } = await tx.query<GroupFacts>({
    name: 'find-group-facts',
    text: `select coalesce(bool_or(o.is_unmarked), true) as "isUnmarked",
             coalesce(bool_or(o.is_unmarked and o.is_new and o.on_default_branch), r.on_default_branch, false)
               as "isNewOnDefaultBranch"
           from unnest($2::bigint[], $3::integer[], $4::bigint[]) with ordinality c (run_id, attempt, job_id, place)
           left join workflow_runs r on r.integration_id = $1 and r.run_id = c.run_id
           left join lateral (
             select ${isUnmarked} as is_unmarked, ${isNew} as is_new, j.on_default_branch
             from workflow_jobs j
             left join failure_reasons f on f.integration_id = $1 and f.run_id = j.run_id and f.attempt = j.attempt
               and f.job_id = j.job_id
             left join failure_groups g on g.integration_id = $1 and g.failure_group_id = f.failure_group_id
             where j.integration_id = $1 and j.run_id = c.run_id and j.attempt = c.attempt
               and (c.job_id is null or j.job_id = c.job_id) and j.conclusion in ${literals(failedConclusions)}) o on true
           group by c.place, r.on_default_branch order by c.place`,
    values: [integrationId, ...columnsOf(failures, 'runId', 'attempt', 'jobId')],
  });
  const facts = new Map<Completion, GroupFacts | undefined>(
    failures.map((failure, place) => [failure, rows[place]]),
  );
  return completions.map((completion) => {
    const groups = facts.get(completion);
    return groups === undefined ? completion : { ...completion, groups };
  });
}

/** SQL: an ignored group counts again after its time. */
const isMarked = (group: string): string =>
  `(${group}.status = 'flaky' or ${group}.status = 'ignored' and coalesce(${group}.ignored_until >= now(), true))`;

/** A job is marked when everything that failed in it is. */
const isUnmarked = `(g.failure_group_id is null or not ${isMarked('g')} or exists (
  select from unnest(f.other_subjects) s where not exists (
    select from failure_groups m
    where m.integration_id = $1 and m.repository = f.repository and ${isMarked('m')} and (strpos(m.error_line, s) > 0 or m.test_id::text = s))))`;

/** The group has no failure of an earlier run on the default branch. */
const isNew = `coalesce(f.run_id = (
  select e.run_id from failure_reasons e
  where e.integration_id = $1 and e.failure_group_id = f.failure_group_id and e.on_default_branch
  order by e.failed_at limit 1), true)`;
