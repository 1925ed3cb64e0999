import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReport } from '#server/test-results/parsing/parse-report.ts';
import { slowTests } from '#server/test-results/verdicts/slow.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { sampleEvents } from '../sample-traffic.ts';
import { reportOf } from './job-report.ts';
import { logOf } from './job-log.ts';

const now = Date.parse('2026-11-22T10:00:00Z');

test('one test of the sample reports became slow a week ago', () => {
  const days = new Map<string, { before: number[]; after: number[] }>();
  for (const event of sampleEvents(now)) {
    const age = Math.floor(now / dayMs) - Math.floor(event.at / dayMs);
    const report = age > 0 ? reportOf(event, now) : undefined;
    for (const { name, durationMs } of report === undefined
      ? []
      : parseReport(Buffer.from(report.report)).cases) {
      const key = `${report!.suite}: ${name}`;
      const known = days.get(key) ?? { before: [], after: [] };
      days.set(key, known);
      (age <= 7 ? known.after : known.before).push(durationMs!);
    }
  }
  const slow = slowTests([...days].map(([testId, sides]) => ({ testId, ...sides })));
  assert.deepEqual(
    slow.map(({ testId }) => testId),
    ['chromium', 'firefox'].map((name) => `browser (${name}): an export of all orders is downloaded`),
  );
});

test('a sample job that fails in its tests reports the test that its log names', () => {
  const failing = new Set<string>();
  for (const event of sampleEvents(now)) {
    const report = reportOf(event, now);
    if (report === undefined || event.eventType !== 'workflow_job') continue;
    const { cases, faults } = parseReport(Buffer.from(report.report));
    assert.deepEqual(faults, []);
    const failed = cases.filter(({ outcome }) => outcome === 'failed');
    const isRed = event.payload.workflow_job.conclusion === 'failure';
    assert.equal(failed.length, isRed ? 1 : 0);
    for (const { name } of failed) {
      assert.ok(logOf(event.payload).includes(name), name);
      failing.add(name);
    }
  }
  assert.ok(failing.size >= 3, [...failing].join(', '));
});
