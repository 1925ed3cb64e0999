import type { Tx } from '#platform/database/database.ts';
import type { CounterRow } from './counters.ts';
import type { PipelineResult } from './semantic-names.ts';

export interface StoredCounter extends Pick<CounterRow, 'kind' | 'count' | 'sumMs' | 'buckets'> {
  /** Empty for jobs in the queue. */
  result: PipelineResult | '';
  /** Null in the sum of all series beyond the limit, and in the other kind. */
  repository: string | null;
  workflow: string | null;
  runner: string | null;
}

/**
 * The counters of an integration. The series that came first are read by name, up to a limit for each kind, and the others as one
 * sum. A series never leaves that sum for a name, so the sum never decreases.
 */
export function listCounters(
  tx: Tx,
  integrationId: string,
  limits: Record<CounterRow['kind'], number>,
): Promise<StoredCounter[]> {
  return tx.rows<StoredCounter>({
    name: 'list-ci-counters',
    text: `with ranked as (
             select c.*, dense_rank() over (partition by c.kind order by c.seen, c.series)
               <= case c.kind when 'run' then $2::integer else $3::integer end as named
             from (select *, min(first_seen) over (partition by kind, series) as seen
                   from ci_counters where integration_id = $1) c)
           select kind, result, repository, workflow, runner, count::float8, sum_ms::float8 as "sumMs", buckets
           from ranked where named
           union all
           select kind, result, null, null, null, sum(count)::float8, sum(sum_ms)::float8, sum_counts(buckets)
           from ranked where not named group by kind, result
           order by kind, repository, workflow, runner, result`,
    values: [integrationId, limits.run, limits.queue],
  });
}
