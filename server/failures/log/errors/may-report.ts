/** Words at any place of a line. */
const parts = 'e(?:rr|xception|xit)|did not complete';

const words = [
  'fail|undefined|unformatted|unused|could|imports|unhandled|fatal|panic|critical|abort|killed|elifecycle|rejected\\]|denied|not allowed|unauthorized|refused|toomanyrequests|unexpected|invalid',
  'cannot|could not|unable to|timed out|not found|not ok|no such file|is a directory|no space left|out of memory|segmentation',
  "illegal instruction|operation was canceled|the process '|a problem occurred|plugin \\[id|code style|collect2",
  'curl: |wget: |remote: |ld: |go: |e: file',
].join('|');

const places =
  ':\\d+:\\d|\\*{3}|:\\d+:? \\[?[A-Z]|[.:]\\w+:\\d|\\*\\*\\* |━|\\[X\\]|^\\d+\\) |^\\(fail\\)|^JUnit |^[A-Z]{1,5}\\d{2,5} |^would |^Diff |^In |^rspec |^cucumber |\\(Wstat|Dubious|^No subtests|\\.t\\s|Not Run|Child|Timeout|#\\w.*:$|^"|dup|multiple|No rule|→|→ |\\[warn|^thread |^go: |\\.feature|@ \\d|SIG|TIMEOUT|LEAK|BUS|[(:]\\d+\\)|──|ModuleNot|\\d - |[⎯●›✖×✗✘✕❌⛔]|🚨|^(?:E   |E: |> |Line\\s|==> )| \\[E\\]$|\\btest\\..*\\.\\.\\.|^╰─▶|^➤ YN|\\] at |^\\[-\\] |^- (?:Task|Class|Script|Build|Settings|Plugin)|^┃ \\[|│ (?:CVE|GHSA|AVD|DS|KSV)|^-- [A-Z]|^L: |^>> Issue|^\\d{13} |^\\[\\d{3}\\] | ==> |/advisories/|^ASSERT:|\\bX \\w+\\.|^– ';

const trace = new RegExp(`${parts}|\\b(?:${words})|${places}`, 'i');

/**
 * False when no rule matches the line, which is without the prefix of its tool. Most lines report nothing. One pass over them takes a
 * fraction of what the rules take. A new rule needs a trace of its lines here.
 */
export const mayReport = (line: string): boolean => trace.test(line);
