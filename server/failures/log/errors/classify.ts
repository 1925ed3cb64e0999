import { anyOf } from '#platform/runtime/any-of.ts';
import { ranks, type ErrorRule, type Rank } from './rule.ts';
import { isSummary } from './summaries.ts';
import { checkerRules } from './checker-rules.ts';
import { testRules } from './test-rules.ts';
import { toolRules } from './tool-rules.ts';

/** Lines that contain words of errors and explain nothing. Applied to the trimmed line. */
const noise: readonly RegExp[] = [
  /^npm (?:ERR!|error)(?:\s*$| (?:A complete log|code E?[A-Z0-9]+$|errno |syscall |path |dest |file |cwd |signal |location |workspace |in workspace|gyp (?:info|verb|ERR! (?:cwd|node|System|stack\s+at)|http)|command (?!failed)|This is probably not|For a full report|\/|\s*at ))/,
  /^\[(?:ERROR|INFO)\](?:\s*$|\s+(?:-> )?\[Help \d|\s+(?:To see the full|Re-run Maven|For more information|After correcting|Please refer to|See .{1,200} for the individual|mvn <|COMPILATION ERROR|BUILD FAILURE|Failures:|Errors:|[-=]{5}))/,
  /^(?:FAILURE: Build failed with an exception|BUILD FAILED|Build FAILED|\* Try:|> Run with |> Get more help)/,
  /^(?:error|errors|failed|failures?|fails|errored)\s*(?:[:=]\s*)?(?:0|false|null|none|no|undefined|\[\]|\{\}|""|'')\s*,?$/i,
  /^(?:0|no) (?:errors?|failures?|failed)\b/i,
  /^\+{1,4} /,
  /^(?:Require stack:|Traceback \(most recent call last\):|Error Message:|Stack Trace:|note: |help: |hint: |warning[:[]|##\[(?:group|endgroup|warning|debug|command|notice|section)\]|::(?:group|endgroup|warning|debug|notice|add-mask))/i,
  /^(?:at |# (?! *Failed test )|\/\/ )/,
];

const isNoise = anyOf(noise);

/** Characters of a line that are compared with the rules. */
const maxClassified = 1_000;
/** Lines of a command's message in which the first one with text is searched. */
const maxCommandLines = 50;

/** The first one that matches a line counts. */
export const errorRules: readonly ErrorRule[] = [...testRules, ...checkerRules, ...toolRules];

/**
 * Rules whose expressions are joined, so that most of them are passed over at once. With 16 a line of an error takes a fifth of the time
 * of one expression for all rules, which also takes 50 ms to compile.
 */
const rulesAtOnce = 16;
const ruleGroups = Array.from({ length: Math.ceil(errorRules.length / rulesAtOnce) }, (_, index) => {
  const rules = errorRules.slice(index * rulesAtOnce, (index + 1) * rulesAtOnce);
  return { rules, mayMatch: anyOf(rules.map(({ pattern }) => pattern)) };
});

/** A line that reports an error. */
export interface ErrorReport {
  rank: Rank;
  /** What the line says, without the prefix of its tool. */
  message: string;
  /** The test, file, package or target that failed. Null when the line names none. */
  subject: string | null;
  rule: ErrorRule | undefined;
}

const command = /^(?:❗\s{0,4})?(?:##\[error\]|::error(?: ([^\n]{0,1000}?))?::)/;
/** Docker numbers its steps, Turborepo names the task, WebdriverIO the browser, Terraform draws a box, act_runner indents. */
const prefix = /^(?:#\d+ (?:\d+\.\d+ )?|@?[\w./-]+:[a-z][\w:-]*: |[│╷╵] ?|\[[^\]]{1,80} #\d+-\d+\] )/;

/** How the forge reports the end of a failed step. */
const endOfStep =
  /^(?:Process completed with exit code|exit with |exitcode '|The operation was canceled|The process '|(?:❌\s*)?Failure - )/;

/** True when the line only reports that the step failed. */
export const isEndOfStep = (text: string): boolean => endOfStep.test(text);

/** True when the forge marks the line as an error. */
export const isMarked = (text: string): boolean => command.test(text) || endOfStep.test(text);

/** The line without what another tool puts before it. */
export const withoutPrefix = (line: string): string => line.replace(prefix, '').trim();

export function classify(line: string): ErrorReport | undefined {
  const text = line.slice(0, maxClassified).trim();
  const found = command.exec(text);
  const message = firstLine(text.slice(found?.[0].length ?? 0), found !== null);
  const bare = withoutPrefix(message);
  if (bare === '' || isNoise(bare)) return undefined;
  if (endOfStep.test(bare) || isSummary(bare)) return report(ranks.summary, bare, null);
  const known = matching(bare);
  if (found === null) return known;
  const { title, file } = propertiesOf(found[1]);
  const said = withTitle(title, known?.message ?? bare);
  if (known === undefined || known.rank === ranks.hint)
    return report(ranks.message, withTitle(title, bare), title ?? file ?? bare);
  if (known.rank === ranks.summary) return { ...known, message: said };
  return { ...known, message: said, subject: known.subject ?? title ?? file ?? known.message };
}

function matching(bare: string): ErrorReport | undefined {
  for (const { rules, mayMatch } of ruleGroups) {
    if (!mayMatch(bare)) continue;
    for (const rule of rules) {
      const match = rule.pattern.exec(bare);
      if (match === null) continue;
      const { file, subject: test, message = bare } = match.groups ?? {};
      if (file !== undefined) {
        const subject = `${file} › ${test}`;
        return { rank: rule.rank, message: subject, subject, rule };
      }
      return { rank: rule.rank, message: withoutProject(message), subject: test?.trim() ?? null, rule };
    }
  }
  return undefined;
}

/** MSBuild appends the project in brackets. */
const withoutProject = (line: string): string =>
  line.endsWith('proj]') && line.includes(' [') ? line.slice(0, line.lastIndexOf(' [')) : line;

const report = (rank: Rank, message: string, subject: string | null): ErrorReport => ({
  rank,
  message,
  subject,
  rule: undefined,
});

/** The message of a workflow command is one line, with codes for its line breaks. */
function firstLine(text: string, isCommand: boolean): string {
  if (!isCommand || !text.includes('%')) return text;
  const lines = text.replace(/%0D/gi, '').split(/%0A/i, maxCommandLines);
  return decode(lines.find((line) => line.trim() !== '') ?? '').trim();
}

/** The title and the file that a workflow command gives to its message. */
function propertiesOf(properties: string | undefined): { title: string | null; file: string | null } {
  const valueOf = (name: RegExp): string | null => {
    const value = name.exec(properties ?? '')?.[1];
    return value === undefined || value.trim() === '' ? null : decode(value);
  };
  return { title: valueOf(/(?:^|,)\s?title=([^,]+)/), file: valueOf(/(?:^|,)\s?file=([^,]+)/) };
}

const decoded: Readonly<Record<string, string>> = {
  '%25': '%',
  '%0D': ' ',
  '%0A': ' ',
  '%3A': ':',
  '%2C': ',',
};

const decode = (text: string): string =>
  text.replace(/%(?:25|0D|0A|3A|2C)/gi, (code) => decoded[code.toUpperCase()] ?? code);

/** A title such as the name of a test says what failed. */
export function withTitle(title: string | null, message: string): string {
  return title === null || title.trim() === '' || message.includes(title) ? message : `${title}: ${message}`;
}
