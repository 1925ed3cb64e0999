import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { readSome } from './bounded-fetch.ts';
import { makeConnections, type Connections } from './connections.ts';
import { isInNetworks, isPublicAddress, type AddressRule } from './public-address.ts';

/**
 * `blocked`: the URL or the address of its host is not allowed. `timeout`: no connection or response in time.
 * `unreachable`: unknown host, no connection or an untrusted certificate. `ended`: the caller aborted.
 */
export type GuardedFetchFailure = 'blocked' | 'timeout' | 'unreachable' | 'ended';

/** The message may be shown to the user: it contains neither response data nor resolved addresses. */
export class GuardedFetchError extends Error {
  readonly reason: GuardedFetchFailure;

  constructor(reason: GuardedFetchFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'GuardedFetchError';
    this.reason = reason;
  }
}

export interface GuardedFetch {
  /**
   * Posts to a URL that a user entered. Returns any status, and the header `Retry-After` if there is one. Does not follow
   * redirects. @throws GuardedFetchError
   */
  post(url: string, message: GuardedMessage): Promise<{ status: number; retryAfter?: string }>;
  /**
   * Calls a URL that a user entered or a server returned. Returns any status. Does not follow redirects. The time limit is for
   * the whole answer. @throws GuardedFetchError, also while the body is read
   */
  request(url: string, request: GuardedRequest): Promise<GuardedAnswer>;
  /** Why `post` would refuse this URL without resolving its host; undefined when it would not. For forms. */
  refusal(url: string): string | undefined;
  /** Aborts all calls in progress. */
  dispose(): void;
}

export interface GuardedMessage {
  headers?: Record<string, string>;
  body: string | Buffer;
  signal?: AbortSignal;
}

export interface GuardedRequest {
  method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  body?: string | Buffer;
  totalMs: number;
  /** How long the server may send nothing. Default: `totalMs`. */
  silentMs?: number;
  /** Of the body, on average, after the first ten seconds of it. A server that sends slowly but steadily is not silent. */
  leastBytesPerSecond?: number;
  signal?: AbortSignal;
}

export interface GuardedAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Ending the loop over it closes the connection. */
  body: AsyncIterable<Uint8Array>;
  /** For answers whose body is not read. */
  close(): Promise<void>;
}

export interface GuardedFetchOptions {
  /** Non-public networks that may be called, in CIDR notation. */
  allowedNetworks: readonly string[];
  /** Servers that the operator configured: any address, port and protocol. */
  trustedOrigins?: readonly string[];
  /** Allows http:// too, but only to `allowedNetworks`: elsewhere, others could read what is sent. */
  mayUseHttp?: boolean;
  /** Uses connections again for some seconds. Their addresses are checked when they are made. */
  keepsConnections?: true;
  /** Default: only 443. */
  allowedPorts?: readonly number[];
  lookup?: typeof resolve;
  limits?: GuardLimits;
}

interface GuardLimits {
  connectMs: number;
  totalMs: number;
  answerBytes: number;
}

const usualLimits: GuardLimits = { connectMs: 3_000, totalMs: 10_000, answerBytes: 16_384 };

interface Guard {
  trustedOrigins: readonly string[];
  mayReach: AddressRule;
  /** For http://; undefined where it is never allowed. */
  mayReachByHttp: AddressRule | undefined;
  /** Allows host names such as `*.internal`. */
  mayBeInternal: boolean;
  ports: readonly number[];
  lookup: typeof resolve;
  limits: GuardLimits;
  connections: Connections;
}

/**
 * Calls URLs that users entered, and only in the public internet or `allowedNetworks`, to prevent server-side request
 * forgery (SSRF). The host is resolved and checked when each connection is made, so that DNS rebinding cannot change the
 * address between check and use.
 */
export function makeGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const isAllowed = isInNetworks(options.allowedNetworks);
  const mayReach: AddressRule = (address) => isPublicAddress(address) || isAllowed(address);
  const { limits = usualLimits, keepsConnections: isKept = false } = options;
  const guard: Guard = {
    trustedOrigins: options.trustedOrigins ?? [],
    mayReach,
    mayReachByHttp: options.mayUseHttp === true ? isAllowed : undefined,
    mayBeInternal: options.allowedNetworks.length > 0,
    ports: options.allowedPorts ?? [443],
    lookup: options.lookup ?? resolve,
    limits,
    connections: makeConnections({ connectMs: limits.connectMs, isKept }),
  };
  const disposed = new AbortController();
  const open = async (url: string, call: GuardedRequest, signals: AbortSignal[]): Promise<GuardedAnswer> => {
    const refusal = refusalOf(url, guard);
    if (refusal !== undefined) throw new GuardedFetchError('blocked', refusal);
    return openUrl(new URL(url), call, guard, AbortSignal.any([disposed.signal, ...signals]));
  };
  return {
    post: async (url, { signal, ...message }) => {
      const call: GuardedRequest = { method: 'POST', totalMs: guard.limits.totalMs, ...message };
      const rest = new AbortController();
      const signals = signal === undefined ? [rest.signal] : [rest.signal, signal];
      const { status, headers, body } = await open(url, call, signals);
      const timer = setTimeout(() => rest.abort(), longestRestMs);
      await readSome(body, guard.limits.answerBytes).finally(() => clearTimeout(timer));
      const { 'retry-after': retryAfter } = headers;
      return { status, ...(typeof retryAfter === 'string' ? { retryAfter } : {}) };
    },
    request: (url, request) => open(url, request, request.signal === undefined ? [] : [request.signal]),
    refusal: (url) => refusalOf(url, guard),
    dispose: () => {
      disposed.abort();
      guard.connections.destroy();
    },
  };
}

function refusalOf(
  text: string,
  { trustedOrigins, mayReach, mayReachByHttp, mayBeInternal, ports }: Guard,
): string | undefined {
  if (!URL.canParse(text)) return 'This is not a URL.';
  const { protocol, username, password, port, hostname, origin } = new URL(text);
  if (trustedOrigins.includes(origin)) return undefined;
  const isHttp = protocol === 'http:' && mayReachByHttp !== undefined;
  if (protocol !== 'https:' && !isHttp) return 'The URL must start with https://.';
  if (username !== '' || password !== '') return 'The URL must not contain a user name or password.';
  if (!ports.includes(Number(port || (isHttp ? 80 : 443))))
    return `The port must be ${ports.join(' or ')}. The operator can allow other ports with ALERT_ALLOWED_PORTS.`;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  const isAllowed = isHttp ? mayReachByHttp : mayReach;
  if (isIP(host) !== 0) return isAllowed(host) ? undefined : notPublic;
  return host === '' || (isInternalName(host) && !mayBeInternal) ? notPublic : undefined;
}

const notPublic =
  'The URL resolves to a private address. The operator can allow its network with ALERT_ALLOWED_NETWORKS.';

function isInternalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)$/i.test(host);
}

/** All resolved addresses must be allowed, because the client may connect to any of them. */
function guardedLookup(lookup: typeof resolve, mayReach: AddressRule): LookupFunction {
  return (hostname, { family, hints, all }, answer) => {
    lookup(hostname, { family: family ?? 0, hints: hints ?? 0, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined)
        return fail(answer, 'unreachable', 'The host name cannot be resolved.');
      if (!addresses.every(({ address }) => mayReach(address))) return fail(answer, 'blocked', notPublic);
      if (all === true) (answer as (failure: null, found: LookupAddress[]) => void)(null, addresses);
      else answer(null, first.address, first.family);
    });
  };
}

function fail(answer: Parameters<LookupFunction>[2], reason: GuardedFetchFailure, message: string): void {
  answer(new GuardedFetchError(reason, message), '', 0);
}

async function openUrl(
  url: URL,
  { method, headers = {}, body, totalMs, silentMs = totalMs, leastBytesPerSecond = 0 }: GuardedRequest,
  { lookup, connections, trustedOrigins, mayReach, mayReachByHttp }: Guard,
  ending: AbortSignal,
): Promise<GuardedAnswer> {
  const isAllowed = url.protocol === 'http:' ? (mayReachByHttp ?? mayReach) : mayReach;
  const client = trustedOrigins.includes(url.origin)
    ? await connections.to(url.origin, 'trusted', undefined)
    : await connections.to(url.origin, url.protocol, guardedLookup(lookup, isAllowed));
  const timeUp = AbortSignal.timeout(totalMs);
  const end = () => connections.end(client);
  try {
    const answer = await client.request({
      origin: url.origin,
      method,
      path: url.pathname + url.search,
      headers,
      body: body ?? null,
      headersTimeout: silentMs,
      bodyTimeout: silentMs,
      signal: AbortSignal.any([timeUp, ending]),
    });
    // An error of a body that nobody reads.
    answer.body.on('error', () => {});
    const bytes = atRate(answer.body as AsyncIterable<Uint8Array>, leastBytesPerSecond);
    const chunks = readBody(bytes, end, (error) => failureOf(error, timeUp, ending));
    const close = () => connections.skip(client, answer.body);
    return { status: answer.statusCode, headers: answer.headers, body: chunks, close };
  } catch (error) {
    await end();
    throw failureOf(error, timeUp, ending);
  }
}

/** After the status of a call of `post`, whose body nobody needs. */
const longestRestMs = 500;

/** A server needs some time to begin. */
const rateAfterMs = 10_000;

async function* atRate(
  body: AsyncIterable<Uint8Array>,
  leastBytesPerSecond: number,
): AsyncGenerator<Uint8Array> {
  const startedAt = performance.now();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > rateAfterMs && bytes < (leastBytesPerSecond * elapsedMs) / 1000)
      throw new GuardedFetchError('timeout', 'The URL sends its answer too slowly.');
    yield chunk;
  }
}

async function* readBody(
  body: AsyncIterable<Uint8Array>,
  close: () => Promise<void>,
  failure: (error: unknown) => GuardedFetchError,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw failure(error);
  } finally {
    await close();
  }
}

const timeouts: unknown[] = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

function failureOf(error: unknown, timeUp: AbortSignal, ending: AbortSignal): GuardedFetchError {
  if (error instanceof GuardedFetchError) return error;
  if (ending.aborted) return new GuardedFetchError('ended', 'The call was aborted.', error);
  if (timeUp.aborted || timeouts.includes((error as { code?: unknown }).code))
    return new GuardedFetchError('timeout', 'The URL did not answer in time.', error);
  return new GuardedFetchError('unreachable', 'The URL could not be reached.', error);
}
