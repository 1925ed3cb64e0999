import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseReport } from '#server/test-results/parsing/parse-report.ts';
import { sampleEvents } from '../sample-traffic.ts';
import { reportOf } from './job-report.ts';
import { logOf } from './job-log.ts';

test('a sample job that fails in its tests reports the test that its log names', () => {
  const failing = new Set<string>();
  for (const event of sampleEvents(Date.parse('2026-11-22T10:00:00Z'))) {
    const report = reportOf(event);
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
