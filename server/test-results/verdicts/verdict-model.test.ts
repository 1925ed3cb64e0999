import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import type { ReportedCase } from '../parsing/case-collector.ts';
import { prepareCases } from '../storing/prepare-report.ts';
import { storeReport } from '../storing/store-report.ts';
import { totalsOf } from '../storing/sum-report.ts';

/**
 * Worlds of reports, stored in any order, against a model that judges all of them together. The model is written after the guide of tests
 * and uses nothing of the product.
 */
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.parse('2026-03-01T00:00:00Z');
const tests = ['adds', 'pays', 'ships'];

const othersOf = { none: 0, fail: 30, pass: 90 };

type Result = 'pass' | 'fail' | 'skip' | 'retry' | 'absent';

interface WorldReport {
  run: number;
  attempt: number;
  sha: string;
  onMain: boolean;
  at: number;
  job: string;
  suite: string;
  results: Result[];
  /** What its other tests did: 30 that fail, or 90 that pass. */
  others: 'none' | 'pass' | 'fail';
  /** It came in an artifact. */
  isArtifact: boolean;
}

const results = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant('pass' as const) },
    { weight: 5, arbitrary: fc.constant('fail' as const) },
    { weight: 1, arbitrary: fc.constantFrom('skip' as const, 'retry' as const, 'absent' as const) },
  ),
  { minLength: tests.length, maxLength: tests.length },
);

/** Some reports of one attempt, so that jobs of a matrix with one name are among them. */
const attempt = fc.record({
  // Few different times, commits and jobs, so that they meet.
  hours: fc.oneof(
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 0, max: 80 }).map((n) => n * 18),
  ),
  sha: fc.integer({ min: 0, max: 6 }),
  onMain: fc.boolean(),
  reports: fc.array(
    fc.record({
      job: fc.constantFrom('linux', 'linux', 'windows'),
      // The three tests are in the first. The other fills the attempt.
      suite: fc.constantFrom('unit', 'unit', 'e2e'),
      results,
      others: fc.oneof(
        { weight: 4, arbitrary: fc.constant('none' as const) },
        { weight: 2, arbitrary: fc.constantFrom('fail' as const, 'fail' as const, 'pass' as const) },
      ),
      isArtifact: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

const world = fc.array(attempt, { minLength: 1, maxLength: 9 }).chain((attempts) => {
  const reports = attempts.flatMap(({ hours, sha, onMain, reports: own }, run): WorldReport[] =>
    own.map((each) => ({
      ...each,
      run: run + 1,
      attempt: 1 + (run % 3),
      sha: String(sha),
      onMain: onMain || run % 3 === 0,
      at: start + hours * hourMs,
    })),
  );
  return fc.shuffledSubarray(reports, { minLength: reports.length });
});

interface Verdict {
  broken: string | null;
  flaky: string | null;
  lastFlaky: string | null;
  flakes: number;
}

const timeOf = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();

/** Reports of attempts, or of suites in attempts, in which more than half of at least 20 tests fail, all reports together. */
function massFailures(reports: readonly WorldReport[]): ReadonlySet<WorldReport> {
  const attempts = Map.groupBy(reports, ({ run, attempt: own }) => `${run} ${own}`);
  const suites = Map.groupBy(reports, ({ run, attempt: own, suite }) => `${run} ${own} ${suite}`);
  const massive = [...attempts.values(), ...suites.values()].filter((own) => {
    const outcomes = own.flatMap(({ results: told, others }) => [
      ...told,
      ...Array.from({ length: othersOf[others] }, () => others),
    ]);
    const failed = outcomes.filter((outcome) => outcome === 'fail').length;
    const ran = failed + outcomes.filter((outcome) => outcome === 'pass' || outcome === 'retry').length;
    return ran >= 20 && failed > ran / 2;
  });
  return new Set(massive.flat());
}

/** Those that came as the first one of their attempt did: all uploads, or all artifacts. */
function accepted(arrived: readonly WorldReport[]): WorldReport[] {
  return [...Map.groupBy(arrived, ({ run }) => run).values()].flatMap((own) =>
    own.filter(({ isArtifact }) => isArtifact === own[0]!.isArtifact),
  );
}

/** What the guide says about one test. */
function modelOf(arrived: readonly WorldReport[], place: number): Verdict {
  const reports = accepted(arrived);
  const massive = massFailures(reports);
  const counted = reports.filter((report) => report.suite === 'unit' && !massive.has(report));
  const told = (report: WorldReport): Result => report.results[place]!;
  const failures = counted.filter((report) => told(report) === 'fail');
  const keyOf = ({ run, attempt: own, job }: WorldReport): string => `${run} ${own} ${job}`;
  const failedIn = new Set(failures.map(keyOf));
  const passes = counted.filter(
    (report) => ['pass', 'retry'].includes(told(report)) && !failedIn.has(keyOf(report)),
  );
  const retries = counted.filter((report) => told(report) === 'retry');
  const onCommit = failures.filter(({ sha, job }) =>
    passes.some((pass) => pass.sha === sha && pass.job === job),
  );
  const flakeTimes = [...retries, ...onCommit].map(({ at }) => at);
  const broken: number[] = [];
  const main = counted.filter(({ onMain }) => onMain);
  const newest = Math.max(...main.map(({ at }) => at));
  for (const job of new Set(main.map((report) => report.job))) {
    // At one time, a pass comes before a failure.
    const sequence = [
      ...passes.map((report) => ({ report, isPass: true })),
      ...failures.map((report) => ({ report, isPass: false })),
    ]
      .filter(({ report }) => report.onMain && report.job === job)
      .toSorted((a, b) => a.report.at - b.report.at || Number(b.isPass) - Number(a.isPass));
    const flips = sequence.flatMap(({ report, isPass }, n) =>
      !isPass && sequence[n - 1]?.isPass === true ? [report.at] : [],
    );
    for (const [n, first] of flips.entries()) {
      const three = flips.slice(n, n + 3);
      if (three.length === 3 && three[2]! - first <= 14 * dayMs) flakeTimes.push(...three);
    }
    const isActive = main.some((report) => report.job === job && report.at >= newest - 14 * dayMs);
    const lastPass = sequence.findLastIndex(({ isPass }) => isPass);
    const streak = sequence.slice(lastPass + 1).map(({ report }) => report);
    const since = streak.find((report) => !onCommit.includes(report));
    if (isActive && since !== undefined) broken.push(since.at);
  }
  const times = [...new Set(flakeTimes)].sort((a, b) => b - a);
  let first = times[0];
  for (const at of times) if (first !== undefined && first - at <= 14 * dayMs) first = at;
  return {
    broken: timeOf(broken.length === 0 ? undefined : Math.min(...broken)),
    flaky: timeOf(first),
    lastFlaky: timeOf(times[0]),
    flakes: retries.length + onCommit.length,
  };
}

const database = await createTestDatabase();
const integrationId = await insertIntegration(database);
const sealer = makeSealer([testMasterKey]);
let lastRepository = 0;

const caseOf = (name: string, result: Result): ReportedCase => ({
  className: '',
  name,
  file: null,
  outcome: result === 'fail' ? 'failed' : result === 'skip' ? 'skipped' : 'passed',
  durationMs: 10,
  retries: result === 'retry' ? 1 : 0,
  message: null,
  trace: null,
});

async function store(report: WorldReport, repository: number): Promise<void> {
  const { run, attempt: number, sha, onMain, at, job, suite, isArtifact } = report;
  const cases = tests.flatMap((name, n) =>
    report.results[n] === 'absent' ? [] : [caseOf(name, report.results[n]!)],
  );
  if (report.others !== 'none')
    for (let n = 0; n < othersOf[report.others]; n += 1) cases.push(caseOf(`other ${n}`, report.others));
  const about = {
    repository: 'acme/shop',
    repositoryKey: String(repository),
    headSha: sha,
    headBranch: onMain ? 'main' : 'topic',
    onMain,
    at: new Date(at),
  };
  const received = {
    hash: createHash('sha256').update(randomUUID()).digest(),
    run: repository * 100 + run,
    attempt: number,
    job,
    jobId: null,
    suite,
    format: 'junit' as const,
    faults: [],
    totals: totalsOf(cases),
    isArtifact,
  };
  await database.api.withScope({ integrationId }, (tx) =>
    storeReport(tx, sealer, integrationId, about, received, prepareCases(cases, { ...about, suite })),
  );
}

async function storedVerdicts(repository: number): Promise<Map<string, Verdict>> {
  const rows = await database.asOwner<Omit<Verdict, 'flakes'> & { name: string; flakes: number }>(
    `select name, broken_since as broken, flaky_since as flaky, last_flaky_at as "lastFlaky",
       coalesce((select sum(flakes)::int from test_days d where d.test_id = t.test_id), 0) as flakes
     from tests t where repository_key = $1 and suite = 'unit'`,
    [repository],
  );
  const textOf = (at: unknown): string | null => (at instanceof Date ? at.toISOString() : null);
  return new Map(
    rows.map(({ name, broken, flaky, lastFlaky, flakes }) => [
      name,
      { broken: textOf(broken), flaky: textOf(flaky), lastFlaky: textOf(lastFlaky), flakes },
    ]),
  );
}

test('verdicts equal those of a model after each report, in any order of arrival', async () => {
  const nothing: Verdict = { broken: null, flaky: null, lastFlaky: null, flakes: 0 };
  await fc.assert(
    fc.asyncProperty(world, async (reports) => {
      const repository = (lastRepository += 1);
      for (const [n, report] of reports.entries()) {
        await store(report, repository);
        const stored = await storedVerdicts(repository);
        const known = reports.slice(0, n + 1);
        for (const [place, name] of tests.entries())
          assert.deepEqual(
            stored.get(name) ?? nothing,
            modelOf(known, place),
            `${name} after ${n + 1} reports`,
          );
      }
    }),
    { numRuns: 12, interruptAfterTimeLimit: 60_000 },
  );
});
