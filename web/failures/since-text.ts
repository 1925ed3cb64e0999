import { dateFormat } from '../ui/locale.ts';
const dayMs = 86_400_000;
const weekday = dateFormat({ weekday: 'long' });
const clock = dateFormat({ timeStyle: 'short' });
const date = dateFormat({ day: 'numeric', month: 'short' });

/** The clock time of today, the weekday of the last six days, else the date. */
export function sinceText(time: string, now = Date.now()): string {
  const at = new Date(time);
  if (at.toDateString() === new Date(now).toDateString()) return clock.format(at);
  return now - at.getTime() < 6 * dayMs ? weekday.format(at) : date.format(at);
}
