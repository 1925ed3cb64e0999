import { ranks, type ErrorRule } from './rule.ts';

const { cause, hint, summary, message } = ranks;

/** `AssertionError: …`, `org.example.SomeException: …` */
const exception = /^(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Failure|Failed|Timeout)\b.*/;

/** Test runners. */
export const testRules: readonly ErrorRule[] = [
  // Vitest
  { pattern: /^FAIL\s+(\S.* (?:> .+|\[ \S+ \])$)/, rank: cause, detail: /^(?:[A-Z]\w*: .+|→ .+)/ },
  { pattern: /^⎯+\s*(Unhandled (?:Rejection|Error|Errors?))\s*⎯+/, rank: hint, detail: exception },
  // Jest
  {
    pattern: /^● (?!Console|Test suite failed to run|Cannot log after)(.+)/,
    rank: cause,
    detail: /^(?!at |\d+ \|).+/,
  },
  { pattern: /^● Test suite failed to run/, rank: hint, detail: /^(?!at ).+/, join: ': ' },
  { pattern: /^FAIL\s+(?:\S+ )?\S+\.[cm]?[jt]sx?(?: \(.+\))?$/, rank: hint },
  // Playwright
  {
    pattern: /^\d+\) (\[[^\]]{1,60}\] › .+?)(?: ─+)?$/,
    rank: cause,
    detail: /^(?:[A-Z]\w*: .+|Test timeout of .+)/,
  },
  // Node, TAP, Mocha
  { pattern: /^✖ (?!failing tests:)(.+) \([\d.]+ms\)$/, rank: hint, detail: exception },
  {
    // Without tests that may fail: https://testanything.org/tap-version-14-specification.html#directives
    pattern: /^not ok \d+ - (?!.*# (?i:todo|skip))(.+)/,
    rank: hint,
    detail: /^error: (?!\|-|'?test failed)(.+)/,
  },
  { pattern: /^(?:×|✗|✘|✕) \S.*/, rank: hint },
  // pytest
  { pattern: /^(?:FAILED|ERROR) (\S+\.py.{0,300}? - .+)/, rank: cause },
  { pattern: /^(?:FAILED|ERROR) (\S+\.py(?:::.+)?)$/, rank: hint },
  { pattern: /^ImportError while importing test module/, rank: hint },
  { pattern: /^E {3}(?! )(?!\+ |- |\? |assert .*$)(.+)/, rank: message },
  { pattern: /^E {3}(assert .+)/, rank: message },
  { pattern: /^[^\s:]+\.py::\S+ (?:FAILED|ERROR)\b/, rank: hint },
  // Go
  {
    pattern: /^--- FAIL: (\S+)/,
    rank: cause,
    detail: /^[\w./-]+\.go:\d+: .+|^panic: .+/,
    // With -v, the messages of a test precede its result.
    before: { pattern: /^[\w./-]+_test\.go:\d+: .+/, is: 'detail' },
  },
  { pattern: /^panic: (?!test timed out).+/, rank: cause },
  { pattern: /^panic: test timed out.+/, rank: message },
  { pattern: /^FAIL\s+\S+(?:\s+[\d.]+s|\s+\[.+\])?$/, rank: hint },
  // Cargo
  {
    pattern: /^thread '([^']+)'(?: \(\d+\))? panicked at (?:'(?<at>.+)', )?\S+:\d+:\d+:?$/,
    rank: cause,
    detail: /^.+/,
  },
  { pattern: /^test \S+ \.\.\. FAILED$/, rank: hint },
  { pattern: /^test result: FAILED/, rank: summary },
  // JUnit with Gradle
  { pattern: /^(\w[\w.$]* > .+) FAILED$/, rank: cause, detail: exception },
  // JUnit with Maven
  { pattern: /^\[ERROR\]\s{1,8}([\w.$#]+(?:\[\d+\])?(?:->[\w.$]+)*:\d+ .+)/, rank: cause },
  {
    pattern: /^\[ERROR\]\s{1,8}([\w.$]+(?:\(.*\))?) .*<<< (?:FAILURE|ERROR)!$/,
    rank: hint,
    detail: exception,
  },
  { pattern: /^\[ERROR\]\s{1,8}Tests run: /, rank: summary },
  // dotnet test
  { pattern: /^Failed (\S.*) \[[\d<].*\]$/, rank: cause, detail: /^(?!Error Message:).+/ },
  { pattern: /^failed (\S.*) \([\d.]+ ?m?s.*\)$/, rank: cause, detail: /^(?!at ).+/ },
  { pattern: /^(?:\[xUnit\.net [\d:.]+\]\s+)(.+) \[FAIL\]$/, rank: hint },
  { pattern: /^Failed!\s+- Failed:/, rank: summary },
];
