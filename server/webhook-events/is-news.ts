import { dayMs } from '#platform/runtime/time-units.ts';

/** Events of imported history and of replays are announced only when they are as recent as this. */
export function isNews(happenedAt: number, now: number): boolean {
  return now - happenedAt < dayMs;
}
