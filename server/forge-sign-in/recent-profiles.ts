import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '#platform/runtime/clock.ts';
import type { ForgeProfile } from './profile.ts';

type Read = (accessToken: string) => Promise<ForgeProfile | undefined>;

const keptMs = 60_000;
const keptMost = 1000;

/** Reads a profile once for both questions of one sign-in: who it is, and what is known of them. */
export function rememberProfiles(read: Read, clock: Clock): Read {
  const recent = new LRUCache<string, { until: number; profile: ReturnType<Read> }>({ max: keptMost });
  return (accessToken) => {
    const key = createHash('sha256').update(accessToken).digest('base64');
    const known = recent.get(key);
    if (known !== undefined && known.until > clock()) return known.profile;
    const profile = read(accessToken);
    recent.set(key, { until: clock() + keptMs, profile });
    profile.then(
      (found) => found ?? recent.delete(key),
      () => recent.delete(key),
    );
    return profile;
  };
}
