import { ranks, type ErrorRule } from './rule.ts';

const { cause, hint } = ranks;

/** Test runners of compiled languages. */
export const compiledTestRules: readonly ErrorRule[] = [
  // Kotlin for several platforms, the console of .NET 9
  {
    pattern: /^(?<subject>\w+\.\S.*\[\w[\w -]*\]) FAILED$/,
    rank: cause,
    detail: /^(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception)\b.*/,
  },
  {
    pattern:
      /^(?:\S.{0,300}: error TESTERROR: )?(?<message>(?<subject>[A-Z][\w.+`]*\.\w+(?:\(.*\))?) \(\d[\d.]*m?s\): Error Message: .+)/,
    rank: cause,
  },
  // xcpretty, xcbeautify
  { pattern: /^[✗✖] (?<message>(?<subject>test\w*), \S.*)/, rank: cause },
  { pattern: /^[✗✖] (?<subject>test\w*)(?: on '.+')? \([\d.]+ seconds\)$/, rank: hint },
  // CppUnit, Unity, Check, CMocka, QtTest, Criterion, CxxTest
  { pattern: /^\d+\) test: (?<subject>\S+) \([FE]\)/, rank: cause, detail: /^.+/ },
  { pattern: /^\S+?:\d+:(?<message>(?<subject>\w+):FAIL\b.*)/, rank: cause },
  { pattern: /^\S+?:\d+:[FE]:[^:]*:(?<message>(?<subject>\w+):\d+: .+)/, rank: cause },
  {
    pattern: /^\[\s+FAILED\s+\] (?<subject>[A-Za-z_]\w*)$/,
    rank: cause,
    before: { pattern: /^\[\s+ERROR\s+\] --- .+/, is: 'detail' },
  },
  { pattern: /^FAIL! {1,4}: (?<message>(?<subject>\w+::\w+\(.*?\)) .+)/, rank: cause },
  {
    pattern: /^\[FAIL\] (?<subject>\w+::\w+): /,
    rank: cause,
    before: { pattern: /^\[-{4}\]\s+The expression .+/, is: 'detail' },
  },
  { pattern: /^In (?<subject>\w+::\w+):$/, rank: cause, alone: hint, detail: /^\S+:\d+: Error: (.+)/ },
  // lit, Autotest, Automake, DejaGnu
  {
    pattern: /^FAIL: (?<subject>\S.* :: \S+) \(\d+ of \d+\)$/,
    rank: cause,
    detail: /\berror: .+/,
    within: 20,
  },
  { pattern: /^\d+: (?<subject>(?:\S.*)?\S)\s+FAILED \(\S+\)$/, rank: cause },
  { pattern: /^FAIL: (?<subject>[A-Za-z][\w.+-]*|[A-Za-z][\w.+-]*\/\S+(?: .+)?)$/, rank: cause },
  // HUnit, doctest of Haskell
  { pattern: /^### (?:Failure|Error) in: (?:\d+:)*(?<subject>\S.*)/, rank: cause, detail: /^(?!\S+:\d+$).+/ },
  {
    pattern: /^\S+:\d+: (?<message>(?:failure|error) in expression `(?<subject>.+)')$/,
    rank: cause,
  },
  // ScalaTest, weaver, specs2, uTest, ZIO Test
  {
    pattern: /^(?:\[info\] )?- (?<subject>.+?)(?: \d+ms)? \*\*\* FAILED \*\*\*/,
    rank: cause,
    detail: /^(?:\[\w+\]\s*)?(?![[*])(\S.*)/,
  },
  { pattern: /^\[error\]\s+[x!] (?<subject>\S.*)/, rank: cause, detail: /^\[error\]\s+(\S.*)/ },
  {
    pattern: /^(?:\[info\] )?X (?<subject>\w+\.[\w.]+) \d+ms$/,
    rank: cause,
    detail: /^(?:\[info\]\s+)?(\S.*)/,
  },
  {
    pattern: /^\[info\]\s+✗ (?<message>\S.*)/,
    rank: cause,
    before: { pattern: /^\[info\]\s+- (\S.*)/, is: 'subject' },
  },
];
