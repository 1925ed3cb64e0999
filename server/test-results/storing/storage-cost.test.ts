import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import type { ReportedCase } from '../parsing/case-collector.ts';
import { prepareCases } from './prepare-report.ts';
import { storeReport } from './store-report.ts';
import { totalsOf } from './sum-report.ts';

const tests = 10_000;
const reportsOfDay = 50;
/** The others tell the same for a few tests. They change the same rows. */
const wholeReportsOfDay = 2;
const dayMs = 24 * 3_600_000;

const caseOf = (n: number, outcome: ReportedCase['outcome']): ReportedCase => ({
  className: `com.acme.shop.module${n % 40}.CartTest`,
  name: `keeps the price of item ${n} when the currency changes`,
  file: null,
  outcome,
  durationMs: n % 900,
  retries: 0,
  message: outcome === 'failed' ? `expected ${n} to equal 4` : null,
  trace: outcome === 'failed' ? 'at cart.ts:17\n'.repeat(20) : null,
});

const measured = ['tests', 'test_days', 'test_day_blocks', 'test_reports', 'test_failures'];

test('10,000 tests with 50 reports a day grow by less than 2 MB a day', async () => {
  const database = await createTestDatabase();
  const integrationId = await insertIntegration(database);
  const sealer = makeSealer([testMasterKey]);
  const today = Date.now();
  let made = 0;
  /** Every second report is about the default branch. One test fails in each. */
  const storeDay = async (daysAgo: number): Promise<void> => {
    for (let n = 0; n < reportsOfDay; n += 1) {
      made += 1;
      const told = n < wholeReportsOfDay ? tests : 100;
      const cases = Array.from({ length: told }, (_, at) =>
        caseOf(at, at === made % told ? 'failed' : at % 50 === 0 ? 'skipped' : 'passed'),
      );
      const about = {
        repository: 'acme/shop',
        repositoryKey: '7',
        headSha: made.toString(16).padStart(40, '0'),
        headBranch: n % 2 === 0 ? 'main' : `topic-${n}`,
        onMain: n % 2 === 0,
        at: new Date(today - daysAgo * dayMs - n * 60_000),
      };
      const report = {
        hash: createHash('sha256').update(String(made)).digest(),
        run: made,
        attempt: 1,
        job: 'unit',
        jobId: null,
        suite: 'unit',
        format: 'junit' as const,
        faults: [],
        totals: totalsOf(cases),
      };
      await database.api.withScope({ integrationId }, (tx) =>
        storeReport(
          tx,
          sealer,
          integrationId,
          about,
          report,
          prepareCases(cases, { ...about, suite: 'unit' }),
        ),
      );
    }
    await database.asOwner('vacuum');
  };
  // An automatic analyze keeps the rows that the vacuum of the test would remove.
  for (const table of measured)
    await database.asOwner(`alter table ${table} set (autovacuum_enabled = false)`);
  const sizeOfTables = async (): Promise<number> => {
    const [row] = await database.asOwner<{ size: number }>(
      `select sum(pg_total_relation_size(relname::regclass))::float8 as size
       from unnest($1::text[]) as t (relname)`,
      [measured],
    );
    return row?.size ?? 0;
  };
  // The first days fill free space in pages, too.
  await storeDay(4);
  const first = await sizeOfTables();
  await storeDay(3);
  await storeDay(2);
  const perDay = ((await sizeOfTables()) - first) / 2;
  assert.ok(perDay < 2 * 1024 * 1024, `${(perDay / 1024 / 1024).toFixed(2)} MB a day`);
});
