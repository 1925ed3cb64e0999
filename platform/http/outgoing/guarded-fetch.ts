import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { isInNetworks, isPublicAddress, type AddressRule } from './public-address.ts';

/**
 * `blocked`: the URL, or where its name leads, is none that may be called. `timeout`: not connected or not answered in
 * time. `unreachable`: no such name, no connection, or a certificate that is not trusted. `ended`: the caller gave up.
 */
export type GuardedFetchFailure = 'blocked' | 'timeout' | 'unreachable' | 'ended';

/** The message may be shown to whoever entered the URL: it holds nothing of the answer and no address behind a name. */
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
   * Posts to a URL that somebody entered. Any status is an answer; a redirect is one, and is not followed.
   * @throws GuardedFetchError
   */
  post(url: string, message: GuardedMessage): Promise<{ status: number }>;
  /** Whether `post` would refuse the URL as it is written, for telling people while they enter it. */
  refusal(url: string): string | undefined;
  /** Ends what is under way. */
  dispose(): void;
}

export interface GuardedMessage {
  headers?: Record<string, string>;
  body: string | Buffer;
  signal?: AbortSignal;
}

export interface GuardedFetchOptions {
  /** CIDR. What lies in them may be called although it is not public. */
  allowedNetworks: readonly string[];
  /** 443 alone unless told otherwise. */
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
  mayReach: AddressRule;
  /** Names that mean something inside a network only. */
  mayBeInternal: boolean;
  ports: readonly number[];
  lookup: LookupFunction;
  limits: GuardLimits;
}

/**
 * Calls out to URLs that people entered, and only into the public internet or `allowedNetworks`. What a name
 * means is decided where the connection is made, at each call anew, so that a name cannot change its meaning between
 * the check and the use.
 */
export function makeGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const isAllowed = isInNetworks(options.allowedNetworks);
  const mayReach: AddressRule = (address) => isPublicAddress(address) || isAllowed(address);
  const guard: Guard = {
    mayReach,
    mayBeInternal: options.allowedNetworks.length > 0,
    ports: options.allowedPorts ?? [443],
    lookup: guardedLookup(options.lookup ?? resolve, mayReach),
    limits: options.limits ?? usualLimits,
  };
  const disposed = new AbortController();
  return {
    post: async (url, message) => {
      const refusal = refusalOf(url, guard);
      if (refusal !== undefined) throw new GuardedFetchError('blocked', refusal);
      const ending = [disposed.signal, ...(message.signal === undefined ? [] : [message.signal])];
      return post(new URL(url), message, guard, AbortSignal.any(ending));
    },
    refusal: (url) => refusalOf(url, guard),
    dispose: () => disposed.abort(),
  };
}

function refusalOf(text: string, { mayReach, mayBeInternal, ports }: Guard): string | undefined {
  if (!URL.canParse(text)) return 'This is not a URL.';
  const { protocol, username, password, port, hostname } = new URL(text);
  if (protocol !== 'https:') return 'The URL must start with https://.';
  if (username !== '' || password !== '') return 'The URL must not hold a user name or password.';
  if (!ports.includes(Number(port || 443)))
    return `The port must be ${ports.join(' or ')}. Whoever runs this service can allow others with ALERT_ALLOWED_PORTS.`;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (isIP(host) !== 0) return mayReach(host) ? undefined : notPublic;
  return host === '' || (isInternalName(host) && !mayBeInternal) ? notPublic : undefined;
}

const notPublic =
  'The URL leads to an address that is not public. Whoever runs this service can allow a network with ALERT_ALLOWED_NETWORKS.';

function isInternalName(host: string): boolean {
  return /(^|\.)(localhost|local|internal)$/i.test(host);
}

/** All answers must be good: which of them is connected to is not ours to choose. */
function guardedLookup(lookup: typeof resolve, mayReach: AddressRule): LookupFunction {
  return (hostname, { family, hints, all }, answer) => {
    lookup(hostname, { family: family ?? 0, hints: hints ?? 0, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return fail(answer, 'unreachable', 'The name is not known.');
      if (!addresses.every(({ address }) => mayReach(address))) return fail(answer, 'blocked', notPublic);
      if (all === true) (answer as (failure: null, found: LookupAddress[]) => void)(null, addresses);
      else answer(null, first.address, first.family);
    });
  };
}

function fail(answer: Parameters<LookupFunction>[2], reason: GuardedFetchFailure, message: string): void {
  answer(new GuardedFetchError(reason, message), '', 0);
}

async function post(
  url: URL,
  { headers, body }: GuardedMessage,
  { lookup, limits }: Guard,
  ending: AbortSignal,
): Promise<{ status: number }> {
  // Loaded by the first call: a start does without.
  const { Client } = await import('undici');
  // One connection a call: a kept one would pass by the look at where the name leads now.
  const client = new Client(url.origin, {
    pipelining: 0,
    allowH2: false,
    connect: { lookup, timeout: limits.connectMs },
  });
  const timeUp = AbortSignal.timeout(limits.totalMs);
  try {
    const { statusCode, body: answer } = await client.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: headers ?? {},
      body,
      signal: AbortSignal.any([timeUp, ending]),
    });
    await readSome(answer, limits.answerBytes);
    return { status: statusCode };
  } catch (error) {
    throw failureOf(error, timeUp, ending);
  } finally {
    await client.destroy().catch(() => {});
  }
}

/** The status is the answer. The rest is read only because some servers mind when nobody does, and is shown to nobody. */
async function readSome(answer: Dispatcher.ResponseData['body'], limit: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes >= limit) return;
    }
  } catch {
    // Cut off by whoever sent it, or out of time.
  }
}

function failureOf(error: unknown, timeUp: AbortSignal, ending: AbortSignal): GuardedFetchError {
  if (error instanceof GuardedFetchError) return error;
  if (ending.aborted) return new GuardedFetchError('ended', 'The call was given up.', error);
  if (timeUp.aborted || (error as { code?: unknown }).code === 'UND_ERR_CONNECT_TIMEOUT')
    return new GuardedFetchError('timeout', 'The URL did not answer in time.', error);
  return new GuardedFetchError('unreachable', 'The URL could not be reached.', error);
}
