import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { nameOf, sealedColumns } from './sealed-columns.ts';

const database = await createTestDatabase();

/** Hashes, versions and sets of counters. They can be read without a key. */
const notSealed = [
  'artifact_checks.known_results',
  'badges.id_hash',
  'branch_ends.place_key',
  'branch_successes.branch_key',
  'ci_counters.series',
  'daily_rollups.series',
  'delivery_outcomes.codes',
  'deployments.version',
  'hourly_rollups.series',
  'incidents.branch_key',
  'integration_tokens.token_hash',
  'invitations.token_hash',
  'job_successes.job_key',
  'linked_repositories.webhook_applied',
  'mail_counts.counted_hash',
  'notifications.branch_key',
  'personal_failures.branch_key',
  'personal_tokens.token_hash',
  'provider_state.id_hash',
  'pull_requests.version',
  'reviews.version',
  'session_refresh.token_hash',
  'share_links.secret_hash',
  'test_reports.hash',
  'test_reports.passed',
  'workflow_jobs.version',
  'workflow_run_attempts.version',
  'workflow_runs.version',
];

test('every column of bytes is either rotated or known not to be sealed', async () => {
  const columns = await database.asOwner<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.atttypid = 'bytea'::regtype order by 1`,
  );
  assert.deepEqual(
    columns.map(({ name }) => name),
    [...sealedColumns.map(nameOf), ...notSealed].toSorted(),
    'add a new column to server/key-rotation/sealed-columns.ts if it is sealed',
  );
});

test('the key of each sealed column identifies one row', async () => {
  for (const { table, key } of sealedColumns) {
    const types = await database.asOwner<{ name: string; type: string }>(
      `select a.attname as name, format_type(a.atttypid, null) as type from pg_attribute a
       where a.attrelid = $1::regclass and a.attname = any ($2)`,
      [table, Object.keys(key)],
    );
    assert.deepEqual(Object.fromEntries(types.map(({ name, type }) => [name, type])), key, table);
    const [unique] = await database.asOwner(
      `select from pg_index i where i.indrelid = $1::regclass and i.indisunique and i.indpred is null
         and (select array_agg(a.attname::text) from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any (i.indkey))
           <@ $2::text[]`,
      [table, Object.keys(key)],
    );
    // Partitions by time exclude a unique index. The number comes from a sequence.
    if (table !== 'queue_segment') assert.ok(unique, table);
  }
});
