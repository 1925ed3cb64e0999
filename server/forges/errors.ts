import { readRetryAfterMs } from '#platform/http/outgoing/retry-after.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { maskProse } from '#server/masking/mask-text.ts';

/** The forge refused a call, failed, or was not reached. The message is the forge's own, bounded and without tokens. */
export class ForgeError extends Error {
  /** 500 when there was no answer. */
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    const said = maskProse(message.slice(0, 2 * maxMessage));
    super(said.length > maxMessage ? `${said.slice(0, maxMessage)}…` : said, { cause });
    this.name = 'ForgeError';
    this.status = status;
  }
}

const maxMessage = 500;

/** For the first call to an address that a person entered. */
export function notTheForge(): ForgeError {
  return new ForgeError(502, 'The server does not answer like the API of a forge.');
}

/** The forge has no such action in its API, or its version has none. */
export class ActionNotOffered extends Error {
  constructor() {
    super('The forge does not offer this action.');
  }
}

/** The rate limit of the forge is exceeded. */
export class RateLimited extends Error {
  /** Undefined when the forge gives no time. */
  readonly waitMs: number | undefined;

  constructor(waitMs: number | undefined) {
    super('the forge’s rate limit is reached');
    this.waitMs = waitMs;
  }
}

export function statusOf(error: unknown): number | undefined {
  return error instanceof ForgeError ? error.status : undefined;
}

/** The status when the forge refuses this one object (other objects may work), otherwise undefined. */
export function refusalOf(error: unknown): number | undefined {
  const status = statusOf(error);
  return status === 403 || status === 404 || status === 410 || status === 451 ? status : undefined;
}

export type ForgeHeaders = Readonly<Record<string, string | number | string[] | undefined>>;

/** What an answer with an error status means. */
export function errorOfAnswer(
  status: number,
  headers: ForgeHeaders,
  message: string,
  cause?: unknown,
): ForgeError | RateLimited {
  return isRateLimit(status, headers, message)
    ? new RateLimited(retryAfterMs(headers))
    : new ForgeError(status, message, cause);
}

const minWaitMs = 1000;
/** A longer time is not believed. A forge that names a wrong one is asked again after it. */
export const maxWaitMs = dayMs;
/** GitHub's secondary limits may be recognizable only by the message; older servers call them abuse detection. */
const limitMessage = /rate limit|abuse detection/i;

/** A 403 is a permanent refusal unless a header or the message indicates a rate limit. */
function isRateLimit(status: number, headers: ForgeHeaders, message: string): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    (headers['retry-after'] !== undefined ||
      headers['x-ratelimit-remaining'] === '0' ||
      limitMessage.test(message))
  );
}

/** From `Retry-After`, or from the reset time when no requests remain. */
function retryAfterMs(headers: ForgeHeaders): number | undefined {
  const {
    'retry-after': retryAfter,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  } = headers;
  const now = Date.now();
  const untilReset = remaining === '0' ? Number(reset) * 1000 - now : NaN;
  const waitMs = retryAfter === undefined ? untilReset : readRetryAfterMs(retryAfter, now);
  if (waitMs === undefined || !Number.isFinite(waitMs)) return undefined;
  return Math.min(maxWaitMs, Math.max(minWaitMs, waitMs));
}
