import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createTestDatabase } from '#test/support/test-database.ts';
import { addCounts, quantileMs, readCounts, writeCounts, type Counts } from './histograms.ts';

const histogram = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 250 }), fc.integer({ min: 0, max: 5000 })), { maxLength: 40 })
  .map((pairs) => {
    const counts: Counts = [];
    for (const [bucket, count] of pairs) counts[bucket] = count;
    return counts;
  });

/** Removes zeros and missing entries, which mean the same. */
function used(counts: Counts): [number, number][] {
  return counts.flatMap((count, bucket): [number, number][] => (count > 0 ? [[bucket, count]] : []));
}

test('readCounts adds up written histograms that are joined to one text', () => {
  fc.assert(
    fc.property(fc.array(histogram, { maxLength: 5 }), (all) => {
      const texts = all.map(writeCounts).filter((text) => text !== null);
      const read = readCounts(texts.length === 0 ? null : texts.join(';'));
      assert.deepEqual(used(read), used(addCounts(all)));
    }),
  );
});

test('readCounts adds up Postgres arrays, alone and with texts, and reads null as empty', async () => {
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
  assert.deepEqual(used(readCounts(`9:1;${row!.text};6:2,3;8:4`)), [...sum, [6, 2], [7, 3], [8, 4], [9, 1]]);
  assert.deepEqual(readCounts(null), []);
});

test('a quantile is the bucket in which its share of all values is reached', () => {
  assert.equal(quantileMs([], 0.5), null);
  assert.equal(quantileMs([3], 0.95), 0);
  const counts = readCounts('1:19;50:1');
  assert.equal(quantileMs(counts, 0.95), 1);
  assert.equal(quantileMs(counts, 0.96), Math.round(1.1 ** 49.5));
});
