import type { RealtimePolicy } from '#server/realtime/policy.ts';

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * A token bucket per address, refilled when it is used. `forgetIdle` deletes full buckets.
 */
export function makeAddressLimit(policy: RealtimePolicy) {
  const buckets = new Map<string, Bucket>();
  const burst = policy.handshakeBurstPerAddress;
  const perMs = policy.handshakesPerSecondPerAddress / 1000;
  const filled = (bucket: Bucket, now: number): number =>
    Math.min(burst, bucket.tokens + (now - bucket.at) * perMs);

  return {
    take: (address: string): boolean => {
      const now = performance.now();
      const isKnown = buckets.has(address) || buckets.size < policy.maxAddresses;
      const key = isKnown ? address : 'others';
      const bucket = buckets.get(key) ?? { tokens: burst, at: now };
      const tokens = filled(bucket, now);
      buckets.set(key, { tokens: Math.max(0, tokens - 1), at: now });
      return tokens >= 1;
    },
    forgetIdle: (): void => {
      const now = performance.now();
      for (const [address, bucket] of buckets) if (filled(bucket, now) >= burst) buckets.delete(address);
    },
  };
}

/** Loopback may be a local proxy for all clients, so it is not limited. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
