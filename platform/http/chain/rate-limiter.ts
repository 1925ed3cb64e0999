import ipaddr from 'ipaddr.js';
import { growingCache } from '../../runtime/growing-cache.ts';

export interface RateLimiter {
  /** Counts one call. Returns the milliseconds until the window ends when the limit is exceeded, otherwise undefined. */
  count(key: string): number | undefined;
  /** The calls that remain in the window of the key, and the milliseconds until it ends. */
  remaining(key: string): { calls: number; ms: number };
}

/** Keys stored per limit. The least recently used key is dropped, so that a flood of keys cannot fill memory. */
const maxKeys = 20_000;

/** At most `max` calls of one key in a window, which begins with the first call. Each process counts separately. */
export function makeRateLimiter(max: number, windowMs: number): RateLimiter {
  const windows = growingCache<string, { calls: number; endsAt: number }>(maxKeys);
  return {
    count: (key) => {
      const now = performance.now();
      let window = windows.get(key);
      if (window === undefined || window.endsAt <= now) {
        window = { calls: 0, endsAt: now + windowMs };
        windows.set(key, window);
      }
      window.calls += 1;
      return window.calls > max ? window.endsAt - now : undefined;
    },
    remaining: (key) => {
      const window = windows.peek(key);
      const ms = (window?.endsAt ?? 0) - performance.now();
      if (window === undefined || ms <= 0) return { calls: max, ms: windowMs };
      return { calls: Math.max(0, max - window.calls), ms };
    },
  };
}

/** What to count an address as. For IPv6 it is the network of 64 bits, because one household has 2^64 addresses. */
export function addressKey(address: string): string {
  return networkOf(address, 64);
}

/**
 * With whom an address shares time and memory. For IPv6 it is the network of 48 bits, the largest that one site gets (RFC 6177): otherwise
 * one client counts as 65,536. Clients of one site can delay each other, but no limit of one counts for the others.
 */
export function siteKey(address: string): string {
  return networkOf(address, 48);
}

function networkOf(address: string, bits: 48 | 64): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts.slice(0, bits / 16).join(':')}::`
    : parsed.toString();
}
