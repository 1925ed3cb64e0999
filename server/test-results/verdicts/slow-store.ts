import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { testsOfBlock } from '../storing/day-blocks.ts';
import type { DayMeans, SlowTest } from './slow.ts';

/** Whole days (UTC): the last week is compared with the four weeks before. */
const days = { after: 7, before: 28 } as const;
/** Of these, so many with a pass. */
const leastDays = { after: 5, before: 10 } as const;

const today = `(now() at time zone 'UTC')::date`;

export interface Block {
  repositoryKey: string;
  suite: string;
  block: number;
}

/** Blocks of tests that passed on the default branch in the last week. */
export function listBlocks(tx: Tx, integrationId: string): Promise<Block[]> {
  return tx.rows<Block>(
    `select distinct repository_key::text as "repositoryKey", suite, block from test_day_blocks
     where integration_id = $1 and on_main and day >= ${today} - ${days.after}`,
    [integrationId],
  );
}

export function listDayMeans(
  tx: Tx,
  integrationId: string,
  { repositoryKey, suite, block }: Block,
): Promise<DayMeans[]> {
  const recent = `day >= ${today} - ${days.after}`;
  return tx.rows<DayMeans>({
    name: 'list-day-means',
    text: `select t.test_id as "testId", m.before, m.after
           from (
             select place, array_agg(mean) filter (where not is_recent) as before, array_agg(mean) filter (where is_recent) as after
             from (
               select place, ${recent} as is_recent, (ms::float8 / passed) as mean
               from test_day_blocks cross join lateral unnest(passes, duration_ms) with ordinality as u (passed, ms, place)
               where integration_id = $1 and repository_key = $2 and suite = $3 and block = $4 and on_main
                 and day >= ${today} - ${days.after + days.before} and day < ${today} and passed > 0) d
             group by place
             having count(*) filter (where is_recent) >= ${leastDays.after}
               and count(*) filter (where not is_recent) >= ${leastDays.before}) m
           join tests t on t.integration_id = $1 and t.repository_key = $2 and t.suite = $3
             and t.ordinal = $4::int * ${testsOfBlock} + m.place - 1`,
    values: [integrationId, repositoryKey, suite, block],
  });
}

/** Notes which tests are slow, and that all others are not. */
export async function saveSlowTests(tx: Tx, integrationId: string, slow: readonly SlowTest[]): Promise<void> {
  await tx.query(
    `with slow as (
       select * from unnest($2::uuid[], $3::integer[], $4::integer[]) as s (test_id, from_ms, to_ms))
     update tests t set slow_since = case when k.to_ms is not null then coalesce(t.slow_since, now()) end,
       slow_from_ms = k.from_ms, slow_ms = k.to_ms
     from (select k.test_id, s.from_ms, s.to_ms
           from (select test_id from tests where integration_id = $1 and slow_since is not null
                 union select test_id from slow) k
           left join slow s on s.test_id = k.test_id) k
     where t.integration_id = $1 and t.test_id = k.test_id
       and (t.slow_from_ms, t.slow_ms) is distinct from (k.from_ms, k.to_ms)`,
    [integrationId, ...columnsOf(slow, 'testId', 'fromMs', 'toMs')],
  );
}
