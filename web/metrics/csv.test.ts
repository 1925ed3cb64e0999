import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricPoint } from '#contract/metrics/metrics.ts';
import { csvOf } from './csv.ts';

const point = (facts: Partial<MetricPoint>): MetricPoint =>
  ({ at: '2026-11-20T12:00:00.000Z', runs: 3, succeeded: 2, failed: 1, ...facts }) as MetricPoint;

const read = (text: string): Record<string, string>[] => {
  const [head = '', ...rows] = text.trimEnd().split('\r\n');
  const names = head.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((value, index) => [names[index], value])));
};

test('the export has one line for each point, with the numbers under their names', () => {
  const [first, second] = read(csvOf([point({ billableMinutes: 12.5 }), point({ runs: 7, reruns: 1 })]));
  assert.deepEqual(
    [first?.['at'], first?.['runs'], first?.['failed'], first?.['billableMinutes']],
    ['2026-11-20T12:00:00.000Z', '3', '1', '12.5'],
  );
  assert.deepEqual([second?.['runs'], second?.['reruns']], ['7', '1']);
});

test('a missing number is empty, and a zero is a zero', () => {
  const [row] = read(csvOf([point({ succeeded: 0, successRate: null, durationP50Ms: null })]));
  assert.deepEqual([row?.['succeeded'], row?.['successRate'], row?.['durationP50Ms']], ['0', '', '']);
});

test('an export without points has only its head', () => {
  assert.match(csvOf([]), /^at,runs,[\w,]+\r\n$/);
});
