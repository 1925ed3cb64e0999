import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { IdentifiedCase } from './prepare-report.ts';
import type { RunOfReport } from './report-store.ts';

/** Bytes of JSON as a parameter. */
const jsonOf = (parameter: string): string => `convert_from(${parameter}, 'UTF8')::json`;

/** Whether the test `t` is to be written for a report about `$2` of the default branch or not (`$3`). */
const isNews = `t.last_seen_at::date < $2::timestamptz::date or t.first_seen_at > $2
  or $3 and coalesce(t.first_on_main_at, 'infinity') > $2`;

/** Adds tests and notes that they were seen. Tests that were seen on this day already are not written. */
export async function upsertTests(
  tx: Tx,
  integrationId: string,
  { repository, repositoryKey, onMain, at }: RunOfReport,
  suite: string,
  { testIds, tests }: { testIds: Uint8Array; tests: Uint8Array },
): Promise<void> {
  const hasNews = await tx.value<boolean>({
    name: 'has-new-tests',
    text: `select exists (
             select from json_array_elements_text(${jsonOf('$4')}) as c (test_id)
             left join tests t on t.integration_id = $1 and t.test_id = c.test_id::uuid
             where t.test_id is null or ${isNews})`,
    values: [integrationId, at, onMain, Buffer.from(testIds)],
  });
  if (hasNews !== true) return;
  await tx.query({
    name: 'upsert-tests',
    text: `insert into tests as t (integration_id, test_id, repository, repository_key, suite, class_name, name, file,
             first_seen_at, last_seen_at, first_on_main_at)
           select $1, c."testId", $4, $5, $6, c."className", c.name, c.file, $2, $2, case when $3 then $2::timestamptz end
           from json_to_recordset(${jsonOf('$7')}) as c ("testId" uuid, "className" text, name text, file text)
           on conflict (integration_id, test_id) do update set
             repository = excluded.repository, file = coalesce(excluded.file, t.file),
             first_seen_at = least(t.first_seen_at, excluded.first_seen_at),
             last_seen_at = greatest(t.last_seen_at, excluded.last_seen_at),
             first_on_main_at = least(t.first_on_main_at, excluded.first_on_main_at)
           where ${isNews}`,
    values: [integrationId, at, onMain, repository, repositoryKey, suite, Buffer.from(tests)],
  });
}

/** Counts failures of a day. A pass that needed a retry counts as a failure, too. */
export async function addToDays(
  tx: Tx,
  integrationId: string,
  { onMain, at }: RunOfReport,
  failures: readonly IdentifiedCase[],
): Promise<void> {
  await tx.query({
    name: 'add-test-days',
    text: `insert into test_days as d (integration_id, test_id, day, on_main, failures, flakes, lost_ms)
           select $1, c.test_id, ($2::timestamptz at time zone 'UTC')::date, $3, 1, (outcome = 'passed')::int,
             case when outcome = 'passed' then coalesce(c.duration_ms, 0) else 0 end
           from unnest($4::uuid[], $5::text[], $6::int[]) as c (test_id, outcome, duration_ms)
           on conflict (integration_id, test_id, day, on_main) do update set
             failures = d.failures + excluded.failures, flakes = d.flakes + excluded.flakes,
             lost_ms = d.lost_ms + excluded.lost_ms`,
    values: [integrationId, at, onMain, ...columnsOf(failures, 'testId', 'outcome', 'durationMs')],
  });
}

/** Counts passes, skips and time of a day. */
export async function addToBlocks(
  tx: Tx,
  integrationId: string,
  { repositoryKey, onMain, at }: RunOfReport,
  blocks: Uint8Array,
): Promise<void> {
  await tx.query({
    name: 'add-test-day-blocks',
    text: `insert into test_day_blocks as d (integration_id, repository_key, block, day, on_main, test_ids, passes, skips,
             duration_ms)
           select $1, $2, c.block, ($3::timestamptz at time zone 'UTC')::date, $4, c."testIds", c.passes, c.skips, c.durations
           from json_to_recordset(${jsonOf('$5')})
             as c (block smallint, "testIds" uuid[], passes int[], skips int[], durations bigint[])
           on conflict (integration_id, repository_key, block, day, on_main) do update set
             (test_ids, passes, skips, duration_ms) = (
               select array_agg(test_id), array_agg(passes), array_agg(skips), array_agg(duration_ms)
               from (
                 select test_id, sum(passes)::int as passes, sum(skips)::int as skips, sum(duration_ms)::bigint as duration_ms
                 from (
                   select * from unnest(d.test_ids, d.passes, d.skips, d.duration_ms)
                   union all
                   select * from unnest(excluded.test_ids, excluded.passes, excluded.skips, excluded.duration_ms)
                 ) as each (test_id, passes, skips, duration_ms)
                 group by test_id order by test_id) as summed)`,
    values: [integrationId, repositoryKey, at, onMain, Buffer.from(blocks)],
  });
}
