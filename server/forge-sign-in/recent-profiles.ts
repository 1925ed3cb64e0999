import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '#platform/runtime/clock.ts';
import type { ForgeProfile } from './profile.ts';

type Read = (accessToken: string) => Promise<ForgeProfile | undefined>;

const ttlMs = 60_000;
const maxEntries = 1000;

/** Caches profiles, because one sign-in needs the profile twice: for the ID token and for the claims. */
export function cacheProfiles(read: Read, clock: Clock): Read {
  const recent = new LRUCache<string, { until: number; profile: ReturnType<Read> }>({ max: maxEntries });
  return (accessToken) => {
    const key = createHash('sha256').update(accessToken).digest('base64');
    const known = recent.get(key);
    if (known !== undefined && known.until > clock()) return known.profile;
    const profile = read(accessToken);
    recent.set(key, { until: clock() + ttlMs, profile });
    profile.then(
      (found) => found ?? recent.delete(key),
      () => recent.delete(key),
    );
    return profile;
  };
}
