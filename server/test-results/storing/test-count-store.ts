import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { testsOfPortion, type IdentifiedCase, type PreparedCases } from './prepare-report.ts';
import type { RunOfReport } from './report-store.ts';

/** The driver sends a buffer in binary form. */
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/** Bytes of JSON as a parameter. */
const jsonOf = (parameter: string): string => `convert_from(${parameter}, 'UTF8')::json`;

/** Whether the test `t` is to be written for a report about `$2` of the default branch or not (`$3`). */
const isNews = `t.last_seen_at::date < $2::timestamptz::date or t.first_seen_at > $2
  or $3 and coalesce(t.first_on_main_at, 'infinity') > $2`;

/** The test with an id, found by the primary key whatever Postgres expects of the number of ids in the JSON. */
const knownTest = (id: string, name: string): string =>
  `left join lateral (select * from tests where integration_id = $1 and test_id = ${id} limit 1) ${name} on true`;

/** The same for many ids. The tests of the suite are read once. */
const knownOfSuite = (id: string, name: string): string =>
  `left join (select * from tests where integration_id = $1 and repository_key = $7 and suite = $8 offset 0) ${name}
     on ${name}.test_id = ${id}`;

/** Finding a test by its id costs about as much as reading so many of its suite. */
const readsPerLookup = 8;

type PreparedTests = Pick<PreparedCases, 'testIds' | 'count' | 'passed' | 'tests'>;

/**
 * Adds tests and notes that they were seen. Tests that were seen on this day already are not written.
 * @returns the ordinals of those that passed, four bytes each
 */
export async function upsertTests(
  tx: Tx,
  integrationId: string,
  about: RunOfReport,
  suite: string,
  prepared: PreparedTests,
): Promise<Buffer> {
  const { repository, repositoryKey, onMain, at } = about;
  const known = await readOrdinals(tx, integrationId, about, suite, prepared);
  if (known.news.length === 0) return known.ordinals;
  for (const portion of known.news)
    await tx.query({
      name: 'upsert-tests',
      text: `insert into tests as t (integration_id, test_id, repository, repository_key, suite, ordinal, class_name, name, file,
               first_seen_at, last_seen_at, first_on_main_at)
             select $1, c."testId", $4, $5, $6, coalesce(o.ordinal, l.last + row_number() over (partition by o.test_id is null)),
               c."className", c.name, c.file, $2, $2, case when $3 then $2::timestamptz end
             from json_to_recordset(${jsonOf('$7')}) as c ("testId" uuid, "className" text, name text, file text)
             ${knownTest('c."testId"', 'o')}
             cross join (select coalesce(max(ordinal), -1) as last from tests
                         where integration_id = $1 and repository_key = $5 and suite = $6) l
             on conflict (integration_id, test_id) do update set
               repository = excluded.repository, file = coalesce(excluded.file, t.file),
               first_seen_at = least(t.first_seen_at, excluded.first_seen_at),
               last_seen_at = greatest(t.last_seen_at, excluded.last_seen_at),
               first_on_main_at = least(t.first_on_main_at, excluded.first_on_main_at)
             where ${isNews}`,
      values: [
        integrationId,
        at,
        onMain,
        repository,
        repositoryKey,
        suite,
        bufferOf(prepared.tests[portion]!),
      ],
    });
  return (await readOrdinals(tx, integrationId, about, suite, prepared)).ordinals;
}

/** The ordinals of the tests that passed, and the portions with tests that are to be written. */
async function readOrdinals(
  tx: Tx,
  integrationId: string,
  { at, onMain, repositoryKey }: RunOfReport,
  suite: string,
  { testIds, count, passed }: PreparedTests,
): Promise<{ ordinals: Buffer; news: number[] }> {
  const last = await tx.value<number>({
    name: 'read-last-ordinal',
    text: 'select max(ordinal) from tests where integration_id = $1 and repository_key = $2 and suite = $3',
    values: [integrationId, repositoryKey, suite],
  });
  const readsSuite = (last ?? 0) < count * readsPerLookup;
  const ofSuite = readsSuite ? [repositoryKey, suite] : [];
  const row = await tx.row<{ ordinals: Buffer; news: number[] }>({
    name: readsSuite ? 'read-ordinals-of-suite' : 'find-ordinals',
    text: `select coalesce(string_agg(int4send(t.ordinal), ''::bytea) filter (where c.n <= $5), '') as ordinals,
             coalesce(array_agg(distinct ((c.n - 1) / $6)::int) filter (where t.test_id is null or ${isNews}), '{}') as news
           from unnest($4::uuid[]) with ordinality as c (test_id, n)
           ${readsSuite ? knownOfSuite('c.test_id', 't') : knownTest('c.test_id', 't')}`,
    values: [integrationId, at, onMain, bufferOf(testIds), passed, testsOfPortion, ...ofSuite],
  });
  return row!;
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
    values: [integrationId, repositoryKey, at, onMain, bufferOf(blocks)],
  });
}
