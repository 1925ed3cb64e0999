import type { InfrastructureFault } from '#contract/failures/failure-reason.ts';
import { anyOf } from '#platform/runtime/any-of.ts';
import { downloadFault } from './download-fault.ts';

/** Sentences of the forge, which begin its message. */
const sentences: readonly (readonly [InfrastructureFault, RegExp])[] = [
  [
    'runner_lost',
    /^(?:The (?:self-hosted |hosted )?runner\b.{0,100} (?:lost communication with the server|went offline|was terminated|did not connect)|The runner has received a shutdown signal|Received request to deprovision|The hosted runner encountered an error while running your job|GitHub Actions has encountered an internal error)/i,
  ],
  [
    'no_runner',
    /^(?:The job was not acquired by runner|No runner matching the specified labels|Waiting for a runner .{0,60}timed out|The job has exceeded the maximum execution time while awaiting a runner|This request was automatically failed because there were no enabled runners)/i,
  ],
  [
    'action_download',
    /^(?:Failed to (?:resolve action download info|download (?:action|archive))|Unable to resolve action download)(?!.*\b404\b)/i,
  ],
  [
    'payment',
    /^The job was not started because .{0,100}\b(?:payments?|spending|billing|budget)\b|^Recent account payments have failed/i,
  ],
  [
    'timeout',
    /^The (?:job .{0,150}has exceeded the maximum execution time|job has exceeded the maximum|action '.{0,200}' has timed out after \d+ minutes?)/i,
  ],
  [
    'disk_full',
    /^System\.IO\.IOException: (?:No space left on device|There is not enough space on the disk)/,
  ],
];

// ENOSPC also means that there are too many watched files.
const diskFull =
  /no space left on device|ENOSPC(?!.{0,100}watchers)|not enough space on the disk|disk quota exceeded/i;

const outOfTime = /exceeded the maximum execution time|job has exceeded the maximum/i;

const mark = /^(?:##\[error\]|::error(?: [^\n]{0,1000}?)?::|Error: )/;
const maxLength = 1_000;

/** Whether the forge says that it ended a job because of `timeout-minutes`. */
export function saysOutOfTime({ level, message }: { level: string; message: string }): boolean {
  return level === 'failure' && outOfTime.test(message.slice(0, maxLength));
}

/** The fault of the machine that the forge reports. A text that only quotes its words is none. */
export function faultOfForge(texts: Iterable<string>): InfrastructureFault | null {
  for (const text of texts) {
    const said = text.slice(0, maxLength).trim().replace(mark, '');
    for (const [fault, pattern] of sentences) if (pattern.test(said)) return fault;
  }
  return null;
}

/** What a test or a compiler says about code, which may quote any words. Go names the import of a module that it cannot download. */
const isAboutCode = anyOf([
  /^[\w$.]*\bAssert\w*(?:Error|Exception|Failed|ion failed)/,
  /^[+-] |^(?:Expected|Received|Actual|Got|Want|Diff)\b/i,
  /\bassert|\bexpect(?:ed)?\b|\bgot\b.{0,200}\bwant\b|\bwant\b.{0,200}\bgot\b/i,
  /^(?!.*: Get "https?:)\S+\.\w{1,8}(?::\d|\(\d+(?:,\d+)?\))/,
]);

/** A tool continues without what it warns about. */
const isWarning = /^(?:##\[warning\]|::warning|warning\b|warn\b|W: )/i;
/** What a tool is left with after it could not download its index. */
const withoutIndex =
  /^ERROR: (?:Could not find a version .*\(from versions: none\)|unable to select packages)|^E: (?:Unable to locate package|Some index files failed)/;
/** A line that gives the reason of an error. */
const continues = /^(?:Caused by: |\[\d+\] |> |[╰├])/;

/** The fault of the machine or of a registry that the error line or the last lines of a failed step name. */
export function faultOfTools(errorLine: string, lines: readonly string[]): InfrastructureFault | null {
  const error = errorLine.slice(0, maxLength);
  if (isAboutCode(error)) return null;
  const areWarningsMeant = lines.some((line) => withoutIndex.test(line.slice(0, maxLength)));
  for (const line of [error, ...lines]) {
    const said = line.slice(0, maxLength).trim().replace(mark, '');
    if (isAboutCode(said) || (isWarning.test(said) && !areWarningsMeant)) continue;
    const fault = diskFull.test(said)
      ? 'disk_full'
      : downloadFault(continues.test(said) ? `${error} ${said}` : said);
    if (fault !== null) return fault;
  }
  return null;
}
