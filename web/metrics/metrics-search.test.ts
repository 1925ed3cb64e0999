import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsQuery, readMetricsSearch } from './metrics-search.ts';

test('what an address may hold is kept, everything else is left out', () => {
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

test('hours are asked for only where the server has them', () => {
  const now = Date.parse('2026-11-21T00:00:00Z');
  assert.equal(metricsQuery({}, now)['from'], '2026-10-22T00:00:00.000Z');
  assert.equal(metricsQuery({ days: 30, granularity: 'hour' }, now)['granularity'], 'day');
  assert.equal(metricsQuery({ days: 14, granularity: 'hour' }, now)['granularity'], 'hour');
  assert.equal(metricsQuery({ days: 2 }, now)['granularity'], 'hour');
});
