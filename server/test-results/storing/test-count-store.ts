import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { intArray, sliceOfUuids } from './binary-arrays.ts';
import { testsOfBlock, type DayBlocks } from './day-blocks.ts';
import { endOfName, testsOfPortion, type IdentifiedCase, type PreparedCases } from './prepare-report.ts';
import type { RunOfReport } from './report-store.ts';

/** The driver sends a buffer in binary form. */
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/** Of the suite `$6`. It is read once for each statement, while a join could read it for each test. */
const lastOfSuite = `(select coalesce(max(ordinal), -1) from tests where integration_id = $1 and repository_key = $5 and suite = $6)`;

/** Names in a text that has `endOfName` after each. */
const namesIn = (parameter: string): string => `string_to_array(${parameter}, '${endOfName}')`;

/** Whether the test `t` is to be written for a report about `$2` of the default branch or not (`$3`). */
const isNews = `t.last_seen_at::date < $2::timestamptz::date or t.first_seen_at > $2
  or $3 and coalesce(t.first_on_main_at, 'infinity') > $2`;

/** The test with an id, found by the primary key whatever Postgres expects of the number of ids. */
const knownTest = (id: string, name: string): string =>
  `left join lateral (select * from tests where integration_id = $1 and test_id = ${id} limit 1) ${name} on true`;

/** The same for many ids. The tests of the suite are read once. */
const knownOfSuite = (id: string, name: string): string =>
  `left join (select * from tests where integration_id = $1 and repository_key = $6 and suite = $7 offset 0) ${name}
     on ${name}.test_id = ${id}`;

/** Finding a test by its id costs about as much as reading so many of its suite. */
const readsPerLookup = 8;

/**
 * Adds tests and notes that they were seen. Tests that were seen on this day already are not written.
 * @returns their ordinals
 */
export async function upsertTests(
  tx: Tx,
  integrationId: string,
  about: RunOfReport,
  suite: string,
  prepared: PreparedCases,
): Promise<Int32Array> {
  const { repository, repositoryKey, onMain, at } = about;
  const known = await readOrdinals(tx, integrationId, about, suite, prepared);
  if (known.news.length === 0) return known.ordinals;
  for (const portion of known.news)
    await tx.query({
      name: 'upsert-tests',
      text: `insert into tests as t (integration_id, test_id, repository, repository_key, suite, ordinal, class_name, name, file,
               first_seen_at, last_seen_at, first_on_main_at)
             select $1, c.test_id, $4, $5, $6, coalesce(o.ordinal, ${lastOfSuite} + row_number() over (partition by o.test_id is null)),
               c.class_name, c.name, nullif(c.file, ''), $2, $2, case when $3 then $2::timestamptz end
             from unnest($7::uuid[], ${namesIn('$8')}, ${namesIn('$9')}, ${namesIn('$10')}) as c (test_id, class_name, name, file)
             ${knownTest('c.test_id', 'o')}
             where c.test_id is not null
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
        ...namesOfPortion(prepared, portion),
      ],
    });
  return (await readOrdinals(tx, integrationId, about, suite, prepared)).ordinals;
}

function namesOfPortion(
  { count, testIds, classNames, names, files }: PreparedCases,
  portion: number,
): Buffer[] {
  const from = portion * testsOfPortion;
  const ids = sliceOfUuids(testIds, from, Math.min(from + testsOfPortion, count));
  return [ids, classNames[portion]!, names[portion]!, files[portion]!].map(bufferOf);
}

/** The ordinals of the known tests, and the portions with tests that are to be written. */
async function readOrdinals(
  tx: Tx,
  integrationId: string,
  { at, onMain, repositoryKey }: RunOfReport,
  suite: string,
  { testIds, count }: PreparedCases,
): Promise<{ ordinals: Int32Array; news: number[] }> {
  const last = await tx.value<number>({
    name: 'read-last-ordinal',
    text: 'select max(ordinal) from tests where integration_id = $1 and repository_key = $2 and suite = $3',
    values: [integrationId, repositoryKey, suite],
  });
  const readsSuite = (last ?? 0) < count * readsPerLookup;
  const ofSuite = readsSuite ? [repositoryKey, suite] : [];
  const row = await tx.row<{ places: Buffer; news: number[] }>({
    name: readsSuite ? 'read-ordinals-of-suite' : 'find-ordinals',
    // The place of each test in the report, and its ordinal.
    text: `select coalesce(string_agg(int8send((c.n - 1) << 32 | t.ordinal), ''::bytea), '') as places,
             coalesce(array_agg(distinct ((c.n - 1) / $5)::int) filter (where t.test_id is null or ${isNews}), '{}') as news
           from unnest($4::uuid[]) with ordinality as c (test_id, n)
           ${readsSuite ? knownOfSuite('c.test_id', 't') : knownTest('c.test_id', 't')}`,
    values: [integrationId, at, onMain, bufferOf(testIds), testsOfPortion, ...ofSuite],
  });
  const { places, news } = row!;
  const ordinals = new Int32Array(count);
  for (let at = 0; at < places.length; at += 8) ordinals[places.readInt32BE(at)] = places.readInt32BE(at + 4);
  return { ordinals, news };
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
  suite: string,
  { numbers, passes, skips, durations }: DayBlocks,
): Promise<void> {
  const sliceOf = (parameter: string): string =>
    `(${parameter}::int[])[(c.n - 1) * ${testsOfBlock} + 1 : c.n * ${testsOfBlock}]`;
  await tx.query({
    name: 'add-test-day-blocks',
    text: `insert into test_day_blocks as d (integration_id, repository_key, suite, block, day, on_main, passes, skips, duration_ms)
           select $1, $2, $3, c.block, ($4::timestamptz at time zone 'UTC')::date, $5, ${sliceOf('$7')}, ${sliceOf('$8')},
             ${sliceOf('$9')}::bigint[]
           from (select block, n::int from unnest($6::int[]) with ordinality as u (block, n)) c
           on conflict (integration_id, repository_key, suite, block, day, on_main) do update set
             (passes, duration_ms) = (
               select array_agg(passes + more_passes), array_agg(ms + more_ms)
               from unnest(d.passes, excluded.passes, d.duration_ms, excluded.duration_ms) as u (passes, more_passes, ms, more_ms)),
             skips = case
               when excluded.skips = '{}' then d.skips
               when d.skips = '{}' then excluded.skips
               else (select array_agg(a + b) from unnest(d.skips, excluded.skips) as u (a, b)) end`,
    values: [
      integrationId,
      repositoryKey,
      suite,
      at,
      onMain,
      numbers,
      ...[passes, skips, durations].map((each) => bufferOf(intArray(each))),
    ],
  });
}
