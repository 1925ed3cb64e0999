import type { SimulatedEvent } from '../event.ts';
import { stableNumber } from '../random.ts';
import { toolOfStep, type TestTool } from './failures.ts';
import { failureOfJob } from './job-log.ts';
import type { JobPayload } from './sample-runs.ts';

/** A report of tests that a sample job uploads. */
export interface SampleReport {
  run: number;
  attempt: number;
  job: string;
  suite: string;
  /** JUnit XML. */
  report: string;
}

interface Case {
  className: string;
  name: string;
  seconds: number;
  inner: string;
}

/** The failing test is the one that the log of the job names. */
const suites = {
  vitest: {
    failing: ['src/orders/total.test.ts', 'total > rounds the amount once, at the end'],
    passing: [
      ['src/orders/parse.test.ts', 'parse > reads an order with two items'],
      ['src/orders/parse.test.ts', 'parse > refuses a negative amount'],
      ['src/orders/total.test.ts', 'total > adds the tax of each item'],
      ['src/prices/list.test.ts', 'price list > is read once in five minutes'],
    ],
  },
  pytest: {
    failing: ['tests.test_import', 'test_imports_empty_batch'],
    passing: [
      ['tests.test_import', 'test_imports_one_row'],
      ['tests.test_import', 'test_skips_header[utf-16]'],
      ['tests.test_index', 'test_finds_by_prefix'],
    ],
  },
  go: {
    failing: ['example.test/billing/invoice', 'TestInvoiceTotal'],
    passing: [
      ['example.test/billing/invoice', 'TestInvoiceNumber'],
      ['example.test/billing/ledger', 'TestLedgerBalance'],
      ['example.test/billing/ledger', 'TestLedgerRounding/half_even'],
    ],
  },
  browser: {
    failing: ['sign-in.spec.ts', 'a member signs in'],
    passing: [
      ['sign-in.spec.ts', 'a stranger is refused'],
      ['orders.spec.ts', 'an order is paid by card'],
      ['orders.spec.ts', 'an export of all orders is downloaded'],
    ],
  },
} as const satisfies Record<
  TestTool,
  { failing: readonly string[]; passing: readonly (readonly string[])[] }
>;

/** The report that a job uploads when it completes, if it ran tests. */
export function reportOf({ eventType, payload }: SimulatedEvent, now: number): SampleReport | undefined {
  if (eventType !== 'workflow_job' || usesArtifact(payload)) return undefined;
  return reportOfJob(payload, now);
}

/** The report that a job stores as an artifact at the forge. The slow test is not in it. */
export function artifactReportOf(job: JobPayload): SampleReport | undefined {
  return usesArtifact(job) ? reportOfJob(job, 0) : undefined;
}

/** The long tests of the night are reported so. */
const usesArtifact = ({ workflow_job: { name } }: JobPayload): boolean => name.startsWith('database');

function reportOfJob(payload: JobPayload, now: number): SampleReport | undefined {
  if (payload.action !== 'completed') return undefined;
  const repository = payload.repository.full_name;
  const { run_id: run, run_attempt: attempt, name: job, steps, conclusion } = payload.workflow_job;
  const step = steps.findLast((each) => toolOfStep(repository, each.name) !== undefined);
  if (step === undefined || step.conclusion === 'cancelled') return undefined;
  const failed = steps.find((each) => each.conclusion === 'failure');
  const tool = toolOfStep(repository, failed?.name ?? step.name);
  // A job that failed before its tests has no report.
  if (tool === undefined || (conclusion !== 'success' && conclusion !== 'failure')) return undefined;
  const report = junitOf(casesOf(payload, tool, now));
  // A suite for each leg of a matrix: a test that passes in the other legs is broken in this one.
  return { run, attempt, job, suite: job, report };
}

function casesOf(job: JobPayload, tool: TestTool, now: number): Case[] {
  const { failing, passing } = suites[tool];
  const failure = failureOfJob(job);
  const message =
    failure?.annotation?.message ?? failure?.lines.find((line) => /error|want/i.test(line)) ?? '';
  const inner = failure === undefined ? '' : `<failure message="${escaped(message.trim())}"/>`;
  return [caseOf(job, failing, inner, now), ...passing.map((each) => caseOf(job, each, '', now))];
}

/** This test takes twice as long since a week. */
const slowTest = 'an export of all orders is downloaded';
const slowForMs = 7.5 * 24 * 3_600_000;

function caseOf(
  { workflow_job: { id, completed_at: completedAt } }: JobPayload,
  [className = '', name = '']: readonly string[],
  inner: string,
  now: number,
): Case {
  const usual = stableNumber(`${className}/${name}`, 20, 4000);
  const percent = stableNumber(String(id), 90, 110);
  const isSlow = name === slowTest && now - Date.parse(String(completedAt)) < slowForMs;
  return { className, name, inner, seconds: (usual * percent * (isSlow ? 2 : 1)) / 100_000 };
}

function junitOf(cases: readonly Case[]): string {
  const written = cases.map(
    ({ className, name, seconds, inner }) =>
      `<testcase classname="${escaped(className)}" name="${escaped(name)}" time="${seconds.toFixed(3)}">${inner}</testcase>`,
  );
  return `<testsuite>${written.join('')}</testsuite>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
