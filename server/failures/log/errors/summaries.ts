import { anyOf } from '#platform/runtime/any-of.ts';

/** Lines that count failures or announce a list of them. They never are a reason. Applied to the trimmed line. */
const summaries: readonly RegExp[] = [
  /^[✖✗×✘]?\s*\d+ (?:[a-z]+, \d+ )?(?:failed|failing|failures?|errors?|problems?|broken)\b/i,
  /^\d+ (?:runs?|tests?|specs?|examples?|scenarios?|assertions?|suites?|checks?|steps?|files?)\b.{0,120}\b(?:fail|error)/i,
  /^\d+ FAILED TESTS?$/,
  /^\d+(?:\.\d+)?% (?:tests )?passed/,
  /^(?:There (?:was|were|are)|Found|Reported|Detected|Total) \d+ .{0,40}(?:failure|failed|error|problem|issue|violation)/i,
  /^(?:Tests?|Test (?:Files|Suites)|Suites|Snapshots|Asserts|Specs|Failed|Failures|Errors|Failing|Total) ?:?\s{1,20}\d+\b.{0,80}$/i,
  /^Tests(?: run)?:? ?\d/,
  /^(?:Failures?|Errors?|FAILURES|ERRORS|Failed (?:tests?|examples|scenarios)|Failing (?:tests?|scenarios)|(?:The following )?tests? FAILED)(?: \(\d+\))?[:!]*$/i,
  /^FAILED \((?:failures|errors|skipped|expected failures)/,
  /^(?:Some|All|The) (?:of the )?(?:unit |integration |e2e )?(?:tests?|checks?|specs?) (?:have |has )?failed/i,
  /^Tests? (?:run )?failed[.!]?$/i,
  /^error: \|-$/,
  /^(?:error|message): '?(?:test failed|\d+ subtests? failed)/,
  /^\[\s+FAILED\s+\] \d+ tests?/,
  /^(?:\d+ )?FAILED TESTS?$/,
  /^Your code has been rated/,
  /^collect2(?:\.exe)?: (?:error|fatal)/,
  /^clang(?:\+\+)?: error: linker command failed/,
  /^Failed \d+\/\d+ (?:subtests|test programs)|^Result: FAIL|^# Looks like you failed/,
  /^Errors while running CTest/,
  /^={2,} .{0,200}\b(?:failed|error)\b.{0,80}={2,}$/i,
  /^={3,} (?:FAILURES|ERRORS|short test summary info) ={3,}$/,
  /^!{2,} .{0,120} !{2,}$/,
  /^(?:test cases|assertions):\s+\d+ \|/,
  /^\[doctest\] (?:test cases|assertions|Status)/,
  /^Some errors were emitted while running checks|^The number of diagnostics exceeds/,
  /^(?:Oh no!|All done!)/,
  /^Checking formatting\.\.\./,
  /^(?:error: )?Recipe `[^`]+` failed/,
  /^\d+ (?:passed|passing)\b/,
  /^\d+ files? (?:would be|will be|need)/,
];

export const isSummary = anyOf(summaries);
