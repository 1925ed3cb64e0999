import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overviewRanges } from '#contract/metrics/overview.ts';
import { readOverviewSearch } from './overview-search.ts';

test('every range of the overview can be linked to', () => {
  for (const range of overviewRanges) assert.deepEqual(readOverviewSearch({ range }), { range });
});

test('another range in the address opens the default', () => {
  for (const range of ['1y', '', 7, null, ['7d'], 'constructor'])
    assert.deepEqual(readOverviewSearch({ range }), {});
});
