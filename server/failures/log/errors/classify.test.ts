import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { takesAtMost } from '#test/support/waiting/short-turns.ts';
import { classify, errorRules, isEndOfStep, isMarked, withoutPrefix, withTitle } from './classify.ts';
import { mayReport } from './may-report.ts';
import { ranks, type Rank } from './rule.ts';

const rankOf = (line: string): Rank | undefined => classify(line)?.rank;

/** The lines, each with its message when that differs from the line. */
function linesOfRank(rank: keyof typeof ranks, lines: readonly (string | readonly [string, string])[]): void {
  for (const line of lines) {
    const [text, message] = typeof line === 'string' ? [line, line] : line;
    const report = classify(text);
    assert.equal(report?.rank, ranks[rank], text);
    assert.ok(mayReport(withoutPrefix(text.trim())), text);
    assert.equal(report?.message, message, text);
  }
}

test('compilers and linters name the place', () => {
  linesOfRank('place', [
    "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "src/a.ts:3:7 - error TS2322: Type 'string' is not assignable to type 'number'.",
    'error TS18003: No inputs were found in config file.',
    'main.c:12:5: error: expected declaration',
    'main.cpp:1:10: fatal error: missing.h: No such file or directory',
    'src/Main.java:5: error: cannot find symbol',
    'app/models.py:14: error: Incompatible return value type',
    [
      'e: file:///src/Main.kt:3:5 Unresolved reference: foo',
      'file:///src/Main.kt:3:5 Unresolved reference: foo',
    ],
    "app/main.py:1:1: F401 'os' imported but unused",
    './main.go:9:2: undefined: fmt.Printl',
    'Program.cs(4,9): error CS0103: The name does not exist',
    [
      '/src/a.csproj : error NU1101: Unable to find package Foo [/src/a.csproj]',
      '/src/a.csproj : error NU1101: Unable to find package Foo',
    ],
  ]);
});

test('package managers name what is missing', () => {
  linesOfRank('place', [
    'npm error 404 Not Found - GET https://packages.example.com/nothing - Not found',
    'npm ERR! Missing script: "biuld"',
    'ERR_PNPM_OUTDATED_LOCKFILE Cannot install with "frozen-lockfile"',
    'go: module example.com/x: no matching versions for query "v9"',
    'dependency failed to start: container db is unhealthy',
    ["make: *** No rule to make target 'all'.  Stop.", "make: *** No rule to make target 'all'.  Stop."],
  ]);
});

test('test runners name the failed test', () => {
  linesOfRank('cause', [
    ['FAIL  src/a.test.ts > adds > two numbers', 'FAIL  src/a.test.ts > adds > two numbers'],
    ['● adds › two numbers', '● adds › two numbers'],
    ['FAILED tests/test_a.py::test_add - assert 3 == 4', 'tests/test_a.py::test_add - assert 3 == 4'],
    ['--- FAIL: TestAdd (0.00s)', '--- FAIL: TestAdd (0.00s)'],
    'panic: runtime error: index out of range [3] with length 3',
    ['com.example.AddTest > adds() FAILED', 'com.example.AddTest > adds() FAILED'],
  ]);
});

test('general error messages rank below a named cause', () => {
  linesOfRank('message', [
    'TypeError: x is not a function',
    'java.lang.IllegalStateException: closed',
    'Error: Cannot find module "left-pad"',
    'fatal: repository not found',
    'curl: (22) The requested URL returned error: 404',
    './deploy.sh: line 3: helm: command not found',
    'Segmentation fault (core dumped)',
    'ERROR Something is wrong',
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
  ]);
});

test('lines that only report an end rank last', () => {
  linesOfRank('summary', [
    'npm error Lifecycle script `test` failed with error:',
    'ELIFECYCLE  Command failed with exit code 1.',
    'error: could not compile `app` (bin "app") due to 1 previous error',
    'make: *** [Makefile:3: test] Error 1',
    'Process completed with exit code 1.',
    'test result: FAILED. 3 passed; 1 failed',
    'exit status 1',
  ]);
});

test('a line that a forge marks as an error is at least a message', () => {
  linesOfRank('message', [
    ['##[error]The tests of the parser', 'The tests of the parser'],
    ['::error::The tests of the parser', 'The tests of the parser'],
    ['::error file=a.ts,line=3::wrong type', 'wrong type'],
    ['❗ ::error::The tests of the parser', 'The tests of the parser'],
  ]);
  assert.equal(rankOf('##[error]src/a.ts(3,7): error TS2322: Type'), ranks.place);
  assert.equal(rankOf('##[error]Process completed with exit code 2.'), ranks.summary);
});

test('a title of a workflow command says what failed', () => {
  const message = (line: string): string | undefined => classify(line)?.message;
  assert.equal(message('::error title=Unit tests::expected 3'), 'Unit tests: expected 3');
  assert.equal(message('::error file=a.ts,title=a%2C b%3A c::expected 3'), 'a, b: c: expected 3');
  assert.equal(message('::error title=expected 3::expected 3 to be 4'), 'expected 3 to be 4');
  assert.equal(message('::error title= ::expected 3'), 'expected 3');
  assert.equal(message('::error title=100%25%0Anext::x'), '100% next: x');
});

test('a failed test of TAP is a cause, unless a directive in any case says that it may fail', () => {
  linesOfRank('cause', ['not ok 3 - adds two numbers', 'not ok 3 - skips nothing']);
  for (const directive of ['todo', 'todo later', 'skip', 'Skip: no network'])
    for (const written of [directive, directive.toUpperCase()])
      assert.equal(rankOf(`not ok 3 - adds two numbers # ${written}`), undefined, written);
});

test('lines that only sound like an error report none', () => {
  for (const line of [
    '',
    '   ',
    '0 errors',
    'errors: 0',
    'failures = 0,',
    'error: null',
    'no errors',
    'warning: unused variable',
    'at Object.<anonymous> (a.js:1:1)',
    '# error handling',
    '// error: see above',
    '+ exit 1',
    'npm error A complete log of this run can be found in: /home/ci/.npm',
    'npm error code E404',
    '[ERROR] For more information about the errors, see the log',
    'Traceback (most recent call last):',
    'Downloading packages',
    'All tests passed',
  ])
    assert.equal(rankOf(line), undefined, line);
});

test('the prefix of another tool is left out', () => {
  for (const [line, rest] of [
    ['#12 3.456 error: x', 'error: x'],
    ['@acme/site:build: error: x', 'error: x'],
    ['│ Error: x', 'Error: x'],
    ['   indented', 'indented'],
    ['https://example.com/a: b', 'https://example.com/a: b'],
  ] as const)
    assert.equal(withoutPrefix(line), rest);
  assert.equal(rankOf('#12 3.456 src/a.ts(3,7): error TS2322: Type'), ranks.place);
});

test('a title is not repeated', () => {
  assert.equal(withTitle(null, 'x'), 'x');
  assert.equal(withTitle('  ', 'x'), 'x');
  assert.equal(withTitle('a', 'b'), 'a: b');
  assert.equal(withTitle('a', 'b of a'), 'b of a');
});

test('the end of a step is recognized at each forge', () => {
  for (const line of [
    'Process completed with exit code 1.',
    "exitcode '1': failure",
    '❌  Failure - Main ./ci.sh',
  ])
    assert.ok(isEndOfStep(line) && isMarked(line), line);
  assert.equal(isEndOfStep('The process completed'), false);
  assert.equal(isMarked('error: x'), false);
});

test('any line is classified in no time, and a message is part of its start', () => {
  const plain =
    "error Error: : npm ERR! FAIL ::error title= , :: > ● ( ) [ ] a.ts 1 . / - thread ' panicked at ❌ 😀";
  const word = fc.constantFrom(...plain.split(' '), ' ', 'x'.repeat(400), '\ud83d', '\u001b[31m');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (words) => {
      const report = classify(words.join(''));
      if (report !== undefined) assert.ok(report.message.length <= 2_100);
    }),
    { numRuns: 500 },
  );
});

/** Lines that match the expression, without what the generator does not know: lookarounds and borders of words. */
function matchingLines({ source }: RegExp, count: number): string[] {
  const plain = source.replaceAll(/\(\?<?[!=](?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\)|\\b/g, '');
  return fc.sample(fc.stringMatching(new RegExp(plain)), count);
}

/** As many characters of a line as are classified. */
const longest = 1_000;

test('no line that repeats a part of what a rule matches takes long', async () => {
  for (const { pattern, detail, before } of errorRules)
    for (const expression of [pattern, detail, before?.pattern, before?.after]) {
      if (expression === undefined) continue;
      for (const line of matchingLines(expression, 2))
        for (let start = 0; start < Math.min(line.length, 20); start += 1)
          for (const size of [1, 2, 3, 5]) {
            const repeated = line.slice(start, start + size).repeat(longest);
            const text = `${line.slice(0, start)}${repeated}`.slice(0, longest);
            await takesAtMost(
              30,
              () => expression.test(`${text}\u0001`),
              () => `${expression} with ${JSON.stringify(text)}`,
            );
          }
    }
});

test('every line that a rule matches passes the test that comes before the rules', () => {
  let tried = 0;
  for (const { pattern } of errorRules) {
    for (const line of matchingLines(pattern, 100)) {
      if (!pattern.test(line) || line.includes('\n')) continue;
      tried += 1;
      assert.ok(mayReport(line), `${pattern} matches ${JSON.stringify(line)}`);
    }
  }
  assert.ok(tried > 10 * errorRules.length, `${tried} lines`);
});

for (const [start, repeated] of [
  ['error', ' '],
  ['Failed', ' '],
  ['npm error ', '@'],
  ['npm ERR! ', '@a/'],
] as const)
  test(`a long line of ${JSON.stringify(start + repeated)} is classified in linear time`, async () => {
    const line = `${start.padEnd(999, repeated)}!`;
    await takesAtMost(25, () => {
      for (let times = 0; times < 100; times++) classify(line);
    });
  });
