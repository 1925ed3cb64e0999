import type { InfrastructureFault } from '#contract/failures/failure-reason.ts';
import { anyOf } from '#platform/runtime/any-of.ts';

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
export function downloadFault(line: string): InfrastructureFault | null {
  if (ownServer.test(line)) return null;
  if (isLimit(line)) return 'rate_limit';
  if (!isDownload(line)) return null;
  if (limited.test(line)) return 'rate_limit';
  if (failed.test(line)) return 'registry';
  if (noSuchHost.test(line) && !known.test(line) && !fromIndex.test(line)) return null;
  return network(line) ? 'network' : null;
}
