import type { InfrastructureFault } from '#contract/failures/failure-reason.ts';
import { anyOf } from '#platform/runtime/any-of.ts';

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

/** Hosts from which jobs download images, packages and actions. They exist, whatever the code says. */
const hosts = [
  String.raw`docker\.(?:io|com)|ghcr\.io|quay\.io|gcr\.io|pkg\.dev|registry\.k8s\.io|mcr\.microsoft\.com|public\.ecr\.aws`,
  String.raw`dkr\.ecr\.[\w-]+\.amazonaws\.com|npmjs\.(?:org|com)|yarnpkg\.com|npm\.pkg\.github\.com|pypi\.org|pythonhosted\.org`,
  String.raw`golang\.org|ubuntu\.com|debian\.org|alpinelinux\.org|fedoraproject\.org|centos\.org|maven\.(?:org|apache\.org)`,
  String.raw`gradle\.org|crates\.io|rust-lang\.org|rubygems\.org|packagist\.org|nuget\.org|github\.com|githubusercontent\.com`,
  String.raw`terraform\.io|hashicorp\.com|anaconda\.org|dl\.google\.com|nodejs\.org|hex\.pm|pub\.dev|jsr\.io`,
].join('|');
const known = new RegExp(String.raw`(?<![\w-])(?:${hosts})(?![\w-]|\.\w)`, 'i');

/** How tools say that they could not download. pip names no host of its index. */
const fromIndex = /\bRetrying \(Retry\(/;
const isDownload = anyOf([
  known,
  fromIndex,
  /^npm (?:ERR!|error) (?!code |errno |syscall )|^\[?ERR_PNPM_(?:META_)?FETCH|^➤ YN/,
  /^(?:E: |W: )?Failed to fetch |^Failed to download metadata|^Cannot download |fetching https?:/i,
  /^ERROR: (?:HTTP error|Could not install packages)|^fatal: unable to access |\bRPC failed;|fetch-pack|early EOF/,
  /failed to (?:solve|pull|push|fetch|copy|download|get successful HTTP response)\b|error response from daemon|initializing source docker:/i,
  /could not (?:transfer artifact|get '|head '|get resource|download)|transfer failed for https?:/i,
  /^go: .*(?:Get|reading) "?https?:|: Get "https?:|unable to load the service index|could not be downloaded|while downloading https?:/i,
]);

/** The code could have named a server that does not exist. */
const noSuchHost =
  /ENOTFOUND|no such host|could(?: not|n't) resolve (?:host|')|name or service not known|unknown ?host|nodename nor servname/i;
const network = anyOf([
  noSuchHost,
  /\bE(?:AI_AGAIN|TIMEDOUT|CONNRESET|CONNREFUSED|HOSTUNREACH|NETUNREACH|PIPE)\b|socket (?:hang up|timeout)|ERR_SOCKET_TIMEOUT/i,
  /server misbehaving|temporary (?:failure|error)|network is unreachable|no route to host|network aborted/i,
  /connection (?:timed out|refused|reset|failed|broken|closed)|(?:could not|failed to|unable to) connect/i,
  /i\/o timeout|\b(?:read|operation|request) timed out|timeout was reached|client\.timeout exceeded|request canceled while waiting|context deadline exceeded|failed: timeout|operation too slow/i,
  /handshake|x509: |certificate (?:has expired|verify failed|signed by)|\bSSL[_ ](?:connect|read|error)|gnutls_|unexpected EOF|early EOF/i,
]);

const limited =
  /(?<![\w./@-])429(?![\w./-])|too ?many ?requests|rate limit|rate exceeded|FETCH_429|\bE429\b/i;
const failed =
  /(?<![\w./@-])(?:50[0234]|52\d)(?![\w./-])|service unavailable|bad gateway|gateway time-?out|internal server error|hash sum mismatch|mirror sync in progress|FETCH_5\d\d|\bE5\d\d\b/i;

/** Words that only servers of packages and forges use about their limits. */
const isLimit = anyOf([
  /(?<!['"`])\btoomanyrequests:/i,
  /you have reached your (?:unauthenticated )?pull rate limit/i,
  /^API rate limit exceeded for |you have exceeded a secondary rate limit/i,
  /^An error occurred \((?:Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded)\)/,
]);

/** A server that the job itself started. Resolvers have such addresses too. */
const ownServer = /(?:\blocalhost|(?<!\bon )127\.0\.0\.1|\[::1\]):\d/;

/** Why a registry, mirror or forge did not send what a tool asked for. Null when the line does not tell, or names what it asked for. */
function downloadFault(line: string): InfrastructureFault | null {
  if (ownServer.test(line)) return null;
  if (isLimit(line)) return 'rate_limit';
  if (!isDownload(line)) return null;
  if (limited.test(line)) return 'rate_limit';
  if (failed.test(line)) return 'registry';
  if (noSuchHost.test(line) && !known.test(line) && !fromIndex.test(line)) return null;
  return network(line) ? 'network' : null;
}
