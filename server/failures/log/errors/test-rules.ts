import { compiledTestRules } from './compiled-test-rules.ts';
import { ranks, type ErrorRule } from './rule.ts';

const { cause, place, hint, summary, message } = ranks;

/** `AssertionError: …`, `org.example.SomeException: …` */
const exception = /^(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Failure|Failed|Timeout)\b.*/;
/** The first line that says something. */
const anyText =
  /^(?!(?:Message|Error|Failure|Stack|Error Message|Failure\/Error):$|at |\S+:\d+(?::\d+)?:?$|[-─=]{3,}).+/;

/** Test runners. */
export const testRules: readonly ErrorRule[] = [
  ...compiledTestRules,
  // Vitest
  { pattern: /^FAIL\s+(?<subject>\S.* (?:> .+|\[ \S+ \]))$/, rank: cause, detail: /^(?:[A-Z]\w*: .+|→ .+)/ },
  { pattern: /^⎯+\s*(?<message>Unhandled (?:Rejection|Error|Errors?))\s*⎯+/, rank: hint, detail: exception },
  // Jest
  {
    pattern: /^● (?!Console|Test suite failed to run|Cannot log after)(?<subject>.+)/,
    rank: cause,
    detail: /^(?!at |\d+ \|).+/,
  },
  {
    pattern: /^● Test suite failed to run/,
    rank: cause,
    alone: hint,
    detail: /^(?!at ).+/,
    before: { pattern: /^FAIL\s+(\S+\.[cm]?[jt]sx?)/, is: 'subject' },
  },
  { pattern: /^FAIL\s+(?:\S+ )?(?<subject>\S+\.[cm]?[jt]sx?)(?: \(.+\))?$/, rank: hint },
  // Playwright
  {
    pattern: /^\d+\) (?<subject>(?:\[[^\]]{1,60}\] › )?\S+\.\w{1,5}:\d+:\d+ › .+?)(?: ─+)?$/,
    rank: cause,
    detail: /^(?:[A-Z]\w*: .+|Test timeout of .+)/,
  },
  // Node: the list at the end names the file.
  {
    pattern: /^✖ (?!failing tests:)(?<subject>.+) \([\d.]+ms\)$/,
    rank: cause,
    alone: hint,
    detail: exception,
    before: { pattern: /^test at (\S+?):\d+:\d+$/, is: 'file' },
  },
  // TAP, without tests that may fail: https://testanything.org/tap-version-14-specification.html#directives
  {
    pattern: /^not ok \d+(?:\s+-)?\s+(?!.*# (?i:todo|skip))(?<subject>\S.*?)(?:\s{2,}\d+ ms)?$/,
    rank: cause,
    alone: place,
    within: 14,
    detail:
      /^(?:error|message|reason): (?!\|-|>-|'?test failed|'?\d+ subtests? failed)(.+)|^(.+[^:])$(?<=^(?:Expected|expected|Error|The ).+)/,
    // tape names the test in a comment before its assertions.
    before: {
      pattern: /^# (?!Subtest|tests?\b|pass\b|fail\b|ok\b|\(|duration|suites|\d)([^\s`].*)/,
      is: 'file',
    },
  },
  // Perl, with the place on the next line.
  {
    pattern: /^#\s+Failed test (?:\d+ )?'(?<subject>.+)'/,
    rank: cause,
    detail: /^#\s+(?:in|at) (\S+)(?: at line| line)? \d+\.$/,
    join: ', ',
  },
  { pattern: /^(?<subject>\S+\.t)\s\.+ (?:Dubious|Failed|No subtests run)/, rank: hint },
  { pattern: /^(?<subject>\S+\.t)\s+\(Wstat: [1-9]/, rank: place },
  // bats
  { pattern: /^✗ (?<subject>\S.*)/, rank: cause, detail: /^`(.+)' failed/ },
  // AVA, tap, uvu and others that name the test after a mark
  { pattern: /^[✘✖×✗✕] \[fail\]: (?<subject>.+)/, rank: cause, detail: exception },
  // Swift Testing
  { pattern: /^✘ (?:Suite|Test run) .+ failed after /, rank: summary },
  { pattern: /^✘ Test (?<subject>\S.*) failed after [\d.]+ seconds/, rank: hint },
  {
    pattern: /^✘ Test (?<message>(?<subject>\S.*?) recorded an issue\b.*? at \S+?:\d+:\d+: .+)/,
    rank: cause,
  },
  { pattern: /^(?:×|✗|✘|✕) (?!\[ERROR\])(?<subject>\S.*)/, rank: hint },
  { pattern: /^FAIL\s{2}(?<subject>\S.*")$/, rank: cause, detail: anyText },
  // Dart and Flutter
  {
    pattern: /^\d\d:\d\d \+\d+(?: ~\d+)? -\d+: (?<message>(?<subject>\S.*) \[E\])$/,
    rank: cause,
    detail: anyText,
  },
  { pattern: /^❌ (?<message>(?<subject>\S.*) \(failed\))$/u, rank: cause, detail: anyText },
  // ExUnit
  {
    pattern: /^\d+\) (?<subject>(?:test|doctest|property|feature) .+ \([\w.]+\))$/,
    rank: cause,
    detail: /^(?!\S+\.exs?:\d+$).+/,
  },
  // Mocha, Cypress, Jasmine, RSpec, PHPUnit, ExUnit, Hspec
  {
    pattern: /^\d+\) (?!(?:Failure|Error|Skipped):$|[A-Z]\w*Error: )(?<subject>[^\d\s].*)/,
    rank: cause,
    alone: hint,
    nested: true,
    detail: anyText,
  },
  // TestCafe, phpspec, Nightwatch, Web Test Runner
  {
    pattern: /^\d+\) (?<message>[A-Z]\w*Error: \S.*)/,
    rank: cause,
    before: { pattern: /^✖ (\S.*)/, is: 'subject' },
  },
  { pattern: /^\d+\s+✘ (?<subject>\S.*)/, rank: cause, detail: anyText },
  { pattern: /^– (?<subject>\S.*?) \([\d.]+m?s\)$/, rank: cause, detail: /^(?!→).+/ },
  { pattern: /^❌ (?<subject>\S.* > .+)/u, rank: cause, detail: anyText },
  // minitest
  {
    pattern: /^(?<subject>[A-Z][\w:]*#\w.*?)(?: \[\S+:\d+\])?:$/,
    rank: cause,
    detail: /^(?!at ).+/,
  },
  // test-unit
  { pattern: /^(?:Failure|Error): (?<subject>\w+\([\w:]+\)):?/, rank: cause, detail: /^(?![=\d]).+/ },
  // pytest. The summary at the end names the file.
  {
    pattern:
      /^(?:FAILED|ERROR) (?=\S+\.py)(?<message>(?<subject>\S+(?= )(?: - collection error)?.{0,300}?) - .{0,200}(?<!\.\.\.))$/,
    rank: cause,
  },
  { pattern: /^(?:FAILED|ERROR) (?<message>(?<subject>\S+\.py::.{1,300}?)(?: - .*)?)$/, rank: cause },
  { pattern: /^ERROR (?<message>(?<subject>\S+\.py)(?: - .*)?)$/, rank: place },
  // newman
  { pattern: /^\d+\.\s{1,4}AssertionError\s{1,4}(?<subject>\S.*)/, rank: cause, detail: /^(?!at ).+/ },
  { pattern: /^ImportError while importing test module '(?<subject>[^']+)'/, rank: hint },
  {
    pattern: /^E {3,23}(?! )(?!\+ |- |\? )(?<message>.+)/,
    rank: place,
    before: {
      pattern: /^[_―]{3,} (?:ERROR (?:collecting|at (?:setup|teardown) of) )?(\S.*?) [_―]{3,}$/,
      is: 'subject',
    },
  },
  { pattern: /^(?<subject>[^\s:]+\.py::\S+) (?:FAILED|ERROR)\b/, rank: hint },
  // With --tb=line and without a summary it names no test, but the line that failed. Warnings of Python look alike.
  {
    pattern:
      /^(?<message>(?<subject>[^\s:]+\.py:\d+): (?:assert .+|(?:[a-z_]\w*\.)*[A-Z][A-Za-z_]*(?<!Warning): .+))/,
    rank: cause,
  },
  { pattern: /^(?<subject>[^\s:]+\.py:\d+): (?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)$/, rank: place },
  // doctest
  {
    pattern: /^Failed example:$/,
    rank: cause,
    detail: anyText,
    before: { pattern: /^File "[^"]+", line \d+, in (\S+)$/, is: 'subject' },
  },
  // unittest
  {
    pattern: /^(?:FAIL|ERROR): (?<subject>\w+ \([\w.]+\).*)/,
    rank: cause,
    detail: exception,
    within: 60,
  },
  // stestr, Trial with the class on a line before
  {
    pattern: /^\{\d+\} (?<subject>\S+) \[[\d.]+s\] \.\.\. FAILED$/,
    rank: cause,
    detail: exception,
    within: 60,
  },
  {
    pattern: /^(?<subject>test\w*) \.\.\. {3,80}\[(?:FAIL|ERROR)\]$/,
    rank: cause,
    before: { pattern: /^([A-Z]\w*)$/, is: 'file' },
  },
  // zope.testrunner
  {
    pattern: /^(?:Failure|Error) in test (?<subject>\S+ \([\w.]+\))$/,
    rank: cause,
    detail: exception,
    within: 60,
  },
  // Ward, Avocado
  { pattern: /^FAIL\s+(?<file>[\w.]+):\d+ (?<subject>\S.*?)\s+\d+%$/, rank: cause },
  {
    pattern:
      /^\(\d+\/\d+\) (?<message>(?<subject>\S+?):\s+(?:FAIL|ERROR|INTERRUPTED): .*?)(?: \([\d.]+ s\))?$/,
    rank: cause,
  },
  // green
  { pattern: /^(?:Failure|Error) in (?<subject>[\w.]+\.\w+)$/, rank: cause, detail: exception, within: 60 },
  // behave, Cucumber
  { pattern: /^(?<subject>\S+\.feature:\d+\s+\S.*)/, rank: cause },
  // Behat, Karate
  {
    pattern: /^(?<subject>\S+\.feature:\d+)$/,
    rank: cause,
    detail: /^match failed.*/,
    before: { pattern: /^Failed asserting .+/, is: 'detail' },
  },
  { pattern: /^(?:rspec|cucumber) (?<subject>\S+:\d+ # .+)/, rank: place },
  // go test -json
  {
    pattern: /^\{"Time":"[^"]{1,60}","Action":"fail","Package":"(?<file>[^"]+)","Test":"(?<subject>[^"]+)"/,
    rank: cause,
  },
  {
    pattern: /^\{"Time":"[^"]{1,60}","Action":"fail","Package":"(?<subject>[^"]+)","Elapsed"/,
    rank: summary,
  },
  // gocheck, container-structure-test
  { pattern: /^FAIL: \S+\.go:\d+: (?<subject>[\w.]+)$/, rank: cause, detail: /^\.\.\. (.+)/ },
  {
    pattern: /^--- FAIL$/,
    rank: cause,
    detail: /^Error: (.+)/,
    before: { pattern: /^=== RUN: (\S.*)/, is: 'subject' },
  },
  // Go
  {
    pattern: /^(?:--- |=== )FAIL: (?<subject>\S+(?: \S+)??)(?: \(.*|$)/,
    rank: cause,
    detail: /^[\w./-]+\.go:\d+: .+|^panic: .+/,
    // With -v, the messages of a test precede its result.
    before: { pattern: /^[\w./-]+_test\.go:\d+: .+/, is: 'detail' },
  },
  {
    pattern: /^(?<message>panic: (?!test timed out).+)/,
    rank: cause,
    before: { pattern: /^=== RUN\s+(\S+)/, is: 'detail' },
  },
  { pattern: /^panic: test timed out.+/, rank: message },
  { pattern: /^FAIL\s+(?<subject>\S+)(?:\s+[\d.]+s|\s+\[.+\])$/, rank: hint },
  { pattern: /^FAIL$/, rank: summary },
  // Cargo and nextest
  {
    pattern: /^thread '(?!main')(?<subject>[^']+)'(?: \(\d+\))? panicked at (?:'(?<at>.+)', )?\S+:\d+:\d+:?$/,
    rank: cause,
    detail: /^.+/,
  },
  {
    pattern: /^thread 'main'(?: \(\d+\))? panicked at (?:'(?<at>.+)', )?(?<subject>\S+?):\d+:\d+:?$/,
    rank: cause,
    detail: /^.+/,
    // An example in the documentation is a program of its own.
    before: { pattern: /^---- (\S+ - .+) \(line \d+\) stdout ----$/, is: 'subject' },
  },
  {
    pattern:
      /^(?:TRY \d+ )?(?:FAIL|TIMEOUT|SIG[A-Z]+|LEAK-FAIL) \[\s*[\d.]+s\](?: \(.{1,20}\))? (?<subject>\S.*)/,
    rank: hint,
  },
  { pattern: /^test (?<subject>\S+)\s+\.\.\. FAILED(?:\s+\d+ ms)?$/, rank: hint },
  { pattern: /^test result: FAILED/, rank: summary },
  // JUnit with Gradle
  { pattern: /^(?<subject>\w[\w.$]* > .+) FAILED$/, rank: cause, detail: exception },
  // JUnit with Maven
  {
    pattern: /^\[ERROR\]\s{1,8}(?<message>(?<subject>[\w.$#]+(?:\[\d+\])?(?:->[\w.$]+)*):\d+ .+)/,
    rank: cause,
  },
  {
    pattern: /^\[ERROR\]\s{1,8}(?<subject>[\w.$]+(?:\(.*\))?) .*<<< (?:FAILURE|ERROR)!$/,
    rank: place,
    detail: exception,
  },
  { pattern: /^\[ERROR\]\s{1,8}Tests run: /, rank: summary },
  // The console launcher of JUnit
  { pattern: /^JUnit (?:Jupiter|Vintage|Platform Suite):(?<subject>\S.*)/, rank: cause, detail: /^=> (.+)/ },
  { pattern: /^[|'│├└─+\- ]{0,40}(?<message>(?<subject>\S.{0,200}?) (?:\[X\]|✘) \S.*)/, rank: place },
  // dotnet test
  { pattern: /^Failed (?<subject>\S.*) \[[\d<].*\]$/, rank: cause, detail: /^(?!Error Message:).+/ },
  { pattern: /^failed (?<subject>\S.*) \([\d.]+ ?m?s.*\)$/, rank: cause, detail: /^(?!at ).+/ },
  { pattern: /^(?:\[xUnit\.net [\d:.]+\]\s+)(?<subject>.+) \[FAIL\]$/, rank: hint },
  { pattern: /^Failed!\s+- Failed:/, rank: summary },
  // Zig
  { pattern: /^error: '(?<subject>[^']+)' failed(?:: .*)?$/, rank: cause },
  {
    pattern: /^\d+\/\d+ (?<message>(?<subject>(?:[\w.]+\.)?test\.\S.*?)\.\.\.(?!OK$|SKIP).+)/,
    rank: cause,
  },
  // Bazel
  { pattern: /^FAIL: (?<subject>\/\/\S+)(?: \(.*)?$/, rank: cause },
  { pattern: /^(?<message>(?<subject>\/\/\S+)\s+(?:FAILED|TIMEOUT)\b.*)$/, rank: cause },
  // MUnit, Tasty, Alcotest, Ginkgo, Nim, Common Test, Pest, Meson, Boost.Test
  {
    pattern: /^==> X (?<subject>\S.*?)\s+[\d.]+s(?:\s.*)?$/,
    rank: cause,
    detail: /^(?!\d+: {2,}|\d+:$).+/,
  },
  {
    pattern: /^(?!Test suite )(?<subject>\S.*): FAIL(?: \([\d.]+s\))?$/,
    rank: place,
    detail: /^(?!\S+\.hs:\d+:$).+/,
  },
  {
    pattern: /^(?:> )?\[FAIL\]\s{2,20}(?<file>\S.*?)\s{2,80}\d+\s{2,20}(?<subject>\S.*?)\.?(?:\s+│)?$/,
    rank: cause,
  },
  {
    pattern:
      /^(?:• )?\[(?:FAIL|FAILED|PANICKED!?)\] (?<subject>\S.* \[(?:It|(?:Before|After|JustBefore|JustAfter)\w+|DeferCleanup[^\]]*)\].*)$/,
    rank: cause,
  },
  {
    pattern: /^\[FAILED\] (?<subject>\S.*)/,
    rank: place,
    before: { pattern: /^\S+\.nim\(\d+, \d+\): .+/, is: 'detail' },
  },
  {
    pattern: /^%%% (?<file>\S+) ==> (?<subject>\S.*): FAILED$/,
    rank: cause,
    detail: /^(?!%%%).+/,
  },
  { pattern: /^(?:⨯ )?FAILED\s+(?<subject>[\w\\]+ > .+)$/, rank: cause, detail: anyText },
  {
    pattern: /^\d+\/\d+ (?<message>(?<subject>\S.*?)\s+(?:FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS)\s+[\d.]+s\b.*)$/,
    rank: cause,
  },
  {
    pattern: /^(?:\S+\(\d+\): )?(?:fatal )?error:? in "(?<subject>[^"]+)": (?<message>.+)/,
    rank: cause,
  },
  // GoogleTest
  {
    pattern: /^(?:(?<subject>\S+):\d+|unknown file): Failure$/,
    rank: cause,
    detail: /^.+/,
    before: { pattern: /^\[ RUN\s+\] (\S+)/, is: 'subject' },
  },
  {
    pattern: /^\[\s+FAILED\s+\] (?<subject>[A-Za-z_][\w/]*\.[\w/]+)(?:, where .+)?(?: \(\d+ ms\))?$/,
    rank: cause,
  },
  // Catch2 and doctest
  {
    pattern: /^(?<subject>\S+):\d+: FAILED:$|^(?:\S+)\(\d+\): FAILED:$/,
    rank: cause,
    detail: /^.+/,
    before: { pattern: /^(?!-{20,}|\S+:\d+$)\S.*/, after: /^-{20,}$/, is: 'subject' },
  },
  {
    pattern: /^\S+[(:]\d+\)?: (?<message>(?:FATAL )?ERROR: .+)/,
    rank: cause,
    before: { pattern: /^TEST CASE:\s+(.+)/, is: 'subject' },
  },
  // CTest
  {
    pattern: /^\d+\/\d+ Test\s+#\d+: (?<subject>\S+) \.*\s*(?:\*\*\*|Child aborted|Not Run)/,
    rank: cause,
  },
  {
    pattern:
      /^\d+ - (?<subject>\S+) \((?:Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|ILLEGAL|BUS_ERROR)\)/,
    rank: place,
  },
  // OPA, Conftest, shUnit2, tcltest
  { pattern: /^(?<message>(?<subject>data\.[\w.]+): (?:FAIL|ERROR)) \(.+\)$/, rank: cause },
  { pattern: /^FAIL - (?<message>(?<subject>\S+) - .+)/, rank: cause },
  { pattern: /^ASSERT:(?<message>.+)/, rank: cause, before: { pattern: /^(test\w*)$/, is: 'subject' } },
  { pattern: /^==== (?<subject>\S+ \S.*) FAILED$/, rank: cause },
  // Robot Framework
  {
    pattern: /^(?<subject>[^|]{1,150})\| FAIL \|$/,
    rank: cause,
    detail: /^(?!\d+ tests?, )[^=-].*/,
  },
  // Pester
  { pattern: /^\[-\] (?<subject>\S.*) [\d.]+m?s \([^()]+\)$/, rank: cause, detail: anyText },
  // Deno, Bun, Karma, Busted, testthat, Julia, Clojure, alcotest, Swift
  { pattern: /^\(fail\) (?<subject>.+?)(?: \[[\d.]+m?s\])?$/, rank: cause },
  {
    pattern: /^(?<subject>\S.*? => \S+\.[jt]sx?:\d+:\d+)$/,
    rank: cause,
    alone: hint,
    detail: /^error: (.+)/,
  },
  {
    pattern: /^(?:Chrome|Firefox|Safari|HeadlessChrome|Electron)[^)]{0,80}\) (?<subject>.+) FAILED$/,
    rank: cause,
    detail: anyText,
  },
  { pattern: /^(?:Failure|Error) → (?<subject>\S+ @ \d+)/, rank: cause, detail: anyText },
  {
    pattern: /^(?:── )?(?:Failure|Error) \('?(?<file>[^':()]+)(?::\d+)*'?\): (?<subject>.+?)(?: ─*)?$/,
    rank: cause,
    detail: anyText,
  },
  {
    pattern: /^(?<subject>\S.*): (?:Test Failed|Error During Test) at \S+/,
    rank: cause,
    detail: /^Expression: (.+)/,
  },
  {
    pattern: /^(?:FAIL|ERROR) in (?:\()?(?<subject>[\w./*+!?<>=-]+)(?:\))?/,
    rank: cause,
    detail: /^(?:expected|actual): (.+)/,
  },
  { pattern: /^\S+\.swift:\d+: error: (?<message>-\[(?<subject>[\w.]+ \w+)\] : .+)/, rank: cause },
];
