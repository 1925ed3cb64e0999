import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Tx } from '#platform/database/database.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { integrationId } from '#test/support/data/forge-events.ts';
import { plansOf } from '#test/support/database/query-plans.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { insertManyTestResults } from '#test/support/database/test-results.ts';
import { readTestTotals } from './reading/read-run-tests.ts';
import { readTest } from './reading/read-test.ts';
import { readTests } from './reading/read-tests.ts';

const database = await createTestDatabase();
const sealer = makeSealer([testMasterKey]);

before(async () => {
  await insertManyTestResults(database, integrationId);
  await database.asOwner('analyze');
});

for (const [name, read] of [
  ['the list of tests', (tx) => readTests(tx, integrationId, {})],
  ['a test', (tx) => readTest(tx, sealer, integrationId, 'b0000000-0000-4000-8000-000000000007')],
  ['the tests of runs', (tx) => readTestTotals(tx, sealer, integrationId, [{ runId: 7, attempt: 1 }])],
] as const satisfies [string, (tx: Tx) => Promise<unknown>][])
  test(`indexes find the failures, days and reports of ${name}`, async () => {
    const plans = await plansOf(database.api, integrationId, read);
    assert.doesNotMatch(plans, /Seq Scan on (test_failures|test_days|test_day_blocks|test_reports)/);
  });
