import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsQuery, readMetricsSearch, type MetricsSearch } from './metrics-search.ts';

test('valid values of an address are kept and others are dropped', () => {
  const search = {
    days: 7,
    granularity: 'hour',
    groupBy: 'workflow',
    branch: 'default',
    repository: 'acme/site',
  };
  assert.deepEqual(readMetricsSearch(search), search);
  assert.deepEqual(
    readMetricsSearch({ days: 8, granularity: 'week', groupBy: 'x', branch: 'main', q: 1 }),
    {},
  );
  assert.deepEqual(readMetricsSearch({ days: '2' }), { days: 2 });
  assert.deepEqual(readMetricsSearch({ workflow: 42, runner: '' }), { workflow: '42' });
});

test('hours are requested only where the server has them', () => {
  const now = Date.parse('2026-11-21T00:00:00Z');
  assert.equal(metricsQuery({ days: 30, granularity: 'hour' }, now)['granularity'], 'day');
  assert.equal(metricsQuery({ days: 14, granularity: 'hour' }, now)['granularity'], 'hour');
  assert.equal(metricsQuery({ days: 2 }, now)['granularity'], 'hour');
});

test('the requested number of days or hours includes the current one', () => {
  const now = Date.parse('2026-11-21T15:30:00Z');
  const fromOf = (search: MetricsSearch) => metricsQuery(search, now)['from'];
  assert.equal(fromOf({}), '2026-10-23T00:00:00.000Z');
  assert.equal(fromOf({ days: 7 }), '2026-11-15T00:00:00.000Z');
  assert.equal(fromOf({ days: 7, granularity: 'hour' }), '2026-11-14T16:00:00.000Z');
  assert.equal(fromOf({ days: 2 }), '2026-11-19T16:00:00.000Z');
});
