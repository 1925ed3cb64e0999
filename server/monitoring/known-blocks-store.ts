import type { Tx } from '#platform/database/database.ts';
import type { KnownBlocks } from './blocks.ts';
import type { TimeSpan } from './time-span.ts';

/** What there is of a span: blocks, and gaps in them. */
export async function findKnownBlocks(
  tx: Tx,
  integrationId: string,
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
): Promise<KnownBlocks> {
  const { rows } = await tx.query<{
    first: number | null;
    until: number | null;
    version: number | null;
    gaps: number[] | null;
  }>({
    name: 'find-known-blocks',
    text: `select p.until, p.version, case when p.until is null then (
               select min(extract(epoch from c.hour) * 1000)::float8 from unnest('{run,job,runner}'::text[]) k (kind)
               cross join lateral (
                 select r.hour from rollups r where r.integration_id = $1 and r.kind = k.kind order by r.hour limit 1) c
             ) end as first,
             (select array_agg((extract(epoch from start) * 1000)::float8) from rollup_gaps
              where integration_id = $1 and start >= $2 and start < $3) as gaps
           from (select) one left join (
             select (extract(epoch from until) * 1000)::float8 as until, version::float8 from rollup_progress
             where integration_id = $1) p on true`,
    values: [integrationId, new Date(from).toISOString(), new Date(to).toISOString()],
  });
  const { first = null, until = null, version = null, gaps = null } = rows[0] ?? {};
  return until === null
    ? { first: first ?? Number.POSITIVE_INFINITY, until: 0, version: 0, gaps: new Set() }
    : { first: 0, until, version: version ?? 0, gaps: new Set(gaps) };
}
