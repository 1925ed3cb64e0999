import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import {
  beyondLimit,
  boundedMs,
  CaseCollector,
  reportLimits,
  UnreadableReport,
  type CaseOutcome,
  type ParsedReport,
} from './case-collector.ts';

const outcomes: ReadonlyMap<string, CaseOutcome> = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
]);

/** Output of the tests that are still running, together. */
const openOutputLength = 4 * 1024 * 1024;

interface GoTest {
  package: string;
  name: string;
  outcome: CaseOutcome | null;
  failures: number;
  durationMs: number | null;
  output: string;
  hasSubtests: boolean;
  hasFailedSubtest: boolean;
}

/**
 * Reads the lines of `go test -json` (https://pkg.go.dev/cmd/test2json). A test that runs several times in one stream, as
 * with `-count` or `gotestsum --rerun-fails`, really ran several times.
 * @throws UnreadableReport if no line is an event of a test.
 */
export function parseGoTest(text: string): ParsedReport {
  const found = new CaseCollector();
  const tests = new Map<string, GoTest>();
  let unread = 0;
  let outputLength = 0;
  for (const line of linesOf(text)) {
    const event = readEvent(line);
    if (event === undefined) unread += 1;
    else outputLength += apply(found, tests, event, openOutputLength - outputLength);
  }
  if (tests.size === 0) throw new UnreadableReport('No line is an event of "go test -json".');
  if (unread > 0)
    found.noteMissing(
      unread === 1
        ? '1 line is not JSON and was not read.'
        : `${unread} lines are not JSON and were not read.`,
    );
  const unfinished = [...tests.values()].filter(({ outcome }) => outcome === null).length;
  if (unfinished > 0)
    found.noteMissing(
      `${unfinished} ${unfinished === 1 ? 'test has' : 'tests have'} no result, because the stream ends early.`,
    );
  // Before Go 1.20 the first event of a package comes after its tests.
  const failedPackages = new Set(
    [...tests.values()].flatMap((each) => (each.name !== '' && each.failures > 0 ? [each.package] : [])),
  );
  for (const test of tests.values())
    if (test.name !== '' || !failedPackages.has(test.package)) addTest(found, test);
  return found.result('go-test');
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    const line = text.slice(at, end).trim();
    if (line !== '') yield line;
    at = end + 1;
  }
}

function readEvent(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return fields(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Returns by how much the kept output grew. */
function apply(found: CaseCollector, tests: Map<string, GoTest>, event: Fields, room: number): number {
  const { Package, Test, Action, Output, Elapsed } = event as Record<string, unknown>;
  if (typeof Package !== 'string' || typeof Action !== 'string') return 0;
  // An event without a test is about the package, which matters only if it failed without a failed test.
  const name = typeof Test === 'string' ? Test : '';
  const key = `${Package}\n${name}`;
  let test = tests.get(key);
  if (test === undefined) {
    if (tests.size >= reportLimits.cases) {
      if (outcomes.has(Action)) found.count(beyondLimit);
      return 0;
    }
    test = {
      package: Package,
      name,
      outcome: null,
      failures: 0,
      durationMs: null,
      output: '',
      hasSubtests: false,
      hasFailedSubtest: false,
    };
    tests.set(key, test);
  }
  const before = test.output.length;
  if (Action === 'output' && typeof Output === 'string')
    test.output += Output.slice(0, Math.max(0, Math.min(room, reportLimits.traceLength - before)));
  const outcome = outcomes.get(Action);
  if (outcome !== undefined) end(tests, test, outcome, Elapsed);
  return test.output.length - before;
}

function end(tests: Map<string, GoTest>, test: GoTest, outcome: CaseOutcome, elapsed: unknown): void {
  if (outcome === 'failed') test.failures += 1;
  test.outcome = outcome;
  test.durationMs = boundedMs(typeof elapsed === 'number' ? elapsed * 1000 : null);
  if (outcome !== 'failed' && test.failures === 0) test.output = '';
  const parentName = test.name.slice(0, Math.max(0, test.name.lastIndexOf('/')));
  const parent = tests.get(`${test.package}\n${parentName}`);
  if (parent === undefined || parent === test) return;
  parent.hasSubtests = true;
  if (outcome === 'failed') parent.hasFailedSubtest = true;
}

/** A test with subtests, and a package, are cases only if they fail by themselves. */
function addTest(found: CaseCollector, test: GoTest): void {
  const { outcome, hasSubtests, hasFailedSubtest, failures } = test;
  const isPackage = test.name === '';
  if (outcome === null) return;
  if ((isPackage || hasSubtests) && (outcome !== 'failed' || hasFailedSubtest)) return;
  found.add({
    className: test.package,
    name: isPackage ? '(package)' : test.name,
    file: null,
    outcome,
    durationMs: test.durationMs,
    retries: outcome === 'failed' ? failures - 1 : failures,
    message: failures === 0 ? null : messageOf(test.output),
    trace: test.output === '' ? null : test.output,
  });
}

const marker = /^(?:=== |--- |\s*--- |FAIL\b|ok\s|exit status|PASS$)/;

/** The first line of the output that a test wrote itself. */
function messageOf(output: string): string | null {
  const line = output.split('\n').find((each) => each.trim() !== '' && !marker.test(each));
  return line?.trim() ?? null;
}
