import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { addCounts, quantileMs, readCounts, readLongCounts, type Counts } from './histograms.ts';

/** Removes zeros and missing entries, which mean the same. */
function used(counts: Counts): [number, number][] {
  return counts.flatMap((count, bucket): [number, number][] => (count > 0 ? [[bucket, count]] : []));
}

test('readCounts adds up Postgres arrays and reads null as empty', async () => {
  const database = await createTestDatabase();
  const [row] = await database.asOwner<{ text: string }>(
    `select string_agg(counts::text, ';') as text
     from (values ('{}'::integer[]), ('[3:5]={1,null,2}'), ('{7}'), ('[5:5]={40}'), ('{0,8}')) v (counts)`,
  );
  const sum = [
    [1, 7],
    [2, 8],
    [3, 1],
    [5, 42],
  ];
  assert.deepEqual(used(readCounts(row!.text)), sum);
  const twice = [readCounts(row!.text), readCounts(row!.text)];
  assert.deepEqual(
    used(addCounts(twice)),
    sum.map(([bucket, count]) => [bucket, 2 * count!]),
  );
  assert.deepEqual(readCounts(null), []);
});

test('readCounts keeps the sign of a count', () => {
  const counts = Object.entries(readCounts('[3:5]={1,-2,3};{-1}'));
  assert.deepEqual(counts, [
    ['1', -1],
    ['3', 1],
    ['4', -2],
    ['5', 3],
  ]);
});

test('long texts are read in several turns with the same sum', async () => {
  const text = Array(100_000).fill('[37:39]={1,0,2}').join(';');
  let turns = 0;
  const counts = await readLongCounts(text, async () => void (turns += 1));
  assert.deepEqual(counts, readCounts(text));
  assert.ok(turns > 4, `${turns}`);
});

test('a quantile is the bucket in which its share of all values is reached', () => {
  assert.equal(quantileMs([], 0.5), null);
  assert.equal(quantileMs([3], 0.95), 0);
  const counts = readCounts('{19};[50:50]={1}');
  assert.equal(quantileMs(counts, 0.95), 1);
  assert.equal(quantileMs(counts, 0.96), Math.round(1.04 ** 49.5));
});
