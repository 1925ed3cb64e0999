import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { TSchema } from 'typebox';
import { DeadLetterQuery, DeliveryQuery } from '#contract/deliveries/deliveries.ts';
import { EventLogQuery } from '#contract/deliveries/event-log.ts';
import { FailureGroupQuery } from '#contract/failures/failures.ts';
import { ChangesQuery } from '#contract/metrics/changes.ts';
import { TaskQuery } from '#contract/integrations/tasks.ts';
import { HealthQuery } from '#contract/metrics/health.ts';
import { QueueQuery } from '#contract/metrics/queue.ts';
import { MetricsQuery } from '#contract/metrics/metrics.ts';
import { WorkflowRunQuery } from '#contract/runs/runs.ts';
import { TestListQuery } from '#contract/tests/tests.ts';
import { compileValidator } from '#platform/http/validation.ts';
import { readTaskSearch } from '../background-work/task-search.ts';
import { readDeadLetterSearch } from '../deliveries/dead-letters/dead-letter-search.ts';
import { readDeliverySearch } from '../deliveries/delivery-search.ts';
import { readLogSearch } from '../event-log/log-search.ts';
import { readFailureSearch } from '../failures/groups/failure-search.ts';
import { healthQuery, readHealthSearch } from '../health/health-search.ts';
import { readQueueSearch } from '../jobs/job-search.ts';
import { metricsQuery, readMetricsSearch } from '../metrics/metrics-search.ts';
import { readRunSearch } from '../runs/filter/run-search.ts';
import { readTestSearch } from '../test-results/test-search.ts';
import { changesQuery, readChangesSearch } from '../what-changed/changes-search.ts';
import { parseSearch, stringifySearch } from './search-text.ts';

/**
 * Addresses come from links, bookmarks and people who edit them. Whatever an address contains, the page sends only
 * what the server accepts, because a refusal would replace the page by an error.
 */

type Search = Record<string, unknown>;
const now = Date.UTC(2026, 10, 20, 12);

interface Page {
  /** Reads an address. */
  read: (search: Search) => object;
  /** The query that the page sends for what it read. */
  queryOf: (read: object) => object;
  /** What the server accepts. */
  schema: TSchema;
}

const withoutOpen = (read: object) =>
  Object.fromEntries(Object.entries(read).filter(([name]) => name !== 'open'));

const withoutShow = (read: object) =>
  Object.fromEntries(Object.entries(read).filter(([name]) => name !== 'show'));

const pages: Record<string, Page> = {
  runs: { read: readRunSearch, queryOf: (read) => read, schema: WorkflowRunQuery },
  failures: { read: readFailureSearch, queryOf: (read) => read, schema: FailureGroupQuery },
  tests: { read: readTestSearch, queryOf: withoutShow, schema: TestListQuery },
  deliveries: { read: readDeliverySearch, queryOf: withoutOpen, schema: DeliveryQuery },
  'dead letters': { read: readDeadLetterSearch, queryOf: (read) => read, schema: DeadLetterQuery },
  'background work': { read: readTaskSearch, queryOf: (read) => read, schema: TaskQuery },
  'event log': { read: readLogSearch, queryOf: withoutOpen, schema: EventLogQuery },
  metrics: { read: readMetricsSearch, queryOf: (read) => metricsQuery(read, now), schema: MetricsQuery },
  queue: { read: readQueueSearch, queryOf: (read) => read, schema: QueueQuery },
  'what changed': {
    read: readChangesSearch,
    queryOf: (read) => changesQuery(read, now),
    schema: ChangesQuery,
  },
  health: { read: readHealthSearch, queryOf: (read) => healthQuery(read, now), schema: HealthQuery },
};

const names =
  'repository workflow branch status conclusion actor event pullRequest q from to open type severity unread ' +
  'suite state sort kind ended pulls lost messageId verdict days granularity groupBy runner limit cursor __proto__ constructor toString';

const words =
  'failing forge-logs open failure success day hour true false member error stored default ping broken lost constructor ' +
  '__proto__ toString ' +
  'hasOwnProperty null undefined NaN Infinity 0 -0 1 -1 1.5 1e3 0x10 9007199254740991 9007199254740993 ٣ ' +
  '2026-11-20T12:00:00Z 2026-11-20T12:00:00+23:59 2026-11-20 1969-12-31T23:59:59Z 0000-01-01T00:00:00Z ' +
  '9999-12-31T23:59:59Z +275760-09-13T00:00:00Z -000001-01-01T00:00:00Z 2026-13-01T00:00:00Z ' +
  '2026-02-30T00:00:00Z 1970-01-01T00:00:00+14:00 8999-12-31T23:59:59-14:00 , \\ \\, % %00 & # = \0 a\0b ' +
  '\ud800 a\udfffb \u202e';
const lengths = [255, 256, 500, 501, 1000, 1001].map((length) => 'x'.repeat(length));
const texts = [...words.split(' '), ' 7 ', ' ', '\n', ...lengths, '😀'.repeat(128), '😀'.repeat(600)];

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.string({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null)) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>([], ['7'], {}, { toString: 0 }, Object.create(null)) },
);
const search = fc.dictionary(fc.constantFrom(...names.split(' ')), value, { maxKeys: 8 });

for (const [page, { read, queryOf, schema }] of Object.entries(pages)) {
  const accept = compileValidator('query', schema);

  test(`the ${page} page sends only what the server accepts, whatever its address contains`, () => {
    fc.assert(
      fc.property(search, (given) => {
        const sent = stringifySearch({ ...queryOf(read(given)) });
        assert.doesNotThrow(() => accept(parseSearch(sent)), `refused: ${sent.slice(0, 300)}`);
      }),
      { numRuns: 500 },
    );
  });

  test(`the ${page} page reads what it wrote into the address`, () => {
    fc.assert(
      fc.property(search, (given) => {
        const written = stringifySearch({ ...read(given) });
        // An address keeps no types: `7` and `"7"` are the same.
        assert.equal(stringifySearch({ ...read(parseSearch(written)) }), written);
      }),
    );
  });
}
