import { anyOf } from '#platform/runtime/any-of.ts';
import { isNoise } from './noise.ts';
import { ranks, type ErrorRule, type Rank } from './rule.ts';
import { testRules } from './test-rules.ts';
import { toolRules } from './tool-rules.ts';

/** Characters of a line that are compared with the rules. */
const maxClassified = 1_000;

const rules = [...testRules, ...toolRules];

const mayReport = anyOf(rules.map(({ pattern }) => pattern));

/** A line that reports an error. */
export interface ErrorReport {
  rank: Rank;
  /** What the line says, without the prefix of its tool. */
  message: string;
  /** What failed, when the reason is expected on another line. */
  subject: string;
  rule: ErrorRule | undefined;
}

const command = /^(?:❗\s{0,4})?(?:##\[error\]|::error(?: ([^\n]{0,1000}?))?::)/;
/** Docker numbers its steps, Turborepo names the task, Terraform draws a box, act_runner indents. */
const prefix = /^(?:#\d+ (?:\d+\.\d+ )?|@?[\w./-]+:[a-z][\w:-]*: |[│╷╵] ?)/;

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
  const bare = withoutPrefix(text.slice(found?.[0].length ?? 0));
  const title = titleOf(found?.[1]);
  if (bare === '' || isNoise(bare)) return undefined;
  if (endOfStep.test(bare)) return report(ranks.summary, bare);
  const known = matching(bare);
  if (found === null) return known;
  if (known === undefined || known.rank === ranks.hint) return report(ranks.message, withTitle(title, bare));
  return { ...known, message: withTitle(title, known.message) };
}

function matching(bare: string): ErrorReport | undefined {
  if (!mayReport(bare)) return undefined;
  for (const rule of rules) {
    const match = rule.pattern.exec(bare);
    if (match === null) continue;
    const subject = withoutProject(match[1] ?? bare);
    const isWhole = rule.detail !== undefined && rule.rank !== ranks.message;
    return { rank: rule.rank, message: isWhole ? withoutProject(bare) : subject, subject, rule };
  }
  return undefined;
}

/** MSBuild appends the project in brackets. */
const withoutProject = (line: string): string =>
  line.endsWith('proj]') && line.includes(' [') ? line.slice(0, line.lastIndexOf(' [')) : line;

const report = (rank: Rank, message: string): ErrorReport => ({
  rank,
  message,
  subject: message,
  rule: undefined,
});

/** The title that a workflow command gives to its message. */
function titleOf(properties: string | undefined): string | null {
  const title = /(?:^|,)\s?title=([^,]+)/.exec(properties ?? '')?.[1];
  return title === undefined ? null : decodeProperty(title);
}

const decoded: Readonly<Record<string, string>> = {
  '%25': '%',
  '%0D': ' ',
  '%0A': ' ',
  '%3A': ':',
  '%2C': ',',
};

const decodeProperty = (text: string): string =>
  text.replace(/%(?:25|0D|0A|3A|2C)/g, (code) => decoded[code] ?? code);

/** A title such as the name of a test says what failed. */
export function withTitle(title: string | null, message: string): string {
  return title === null || title.trim() === '' || message.includes(title) ? message : `${title}: ${message}`;
}
