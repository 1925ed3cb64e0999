import { dateFormat, timeZone } from '../locale.ts';
const exact = dateFormat({
  dateStyle: 'medium',
  timeStyle: 'medium',
});
let zone: string | undefined;

/** In local time, with the zone. */
export function exactTime(time: string): string {
  zone ??= timeZone();
  return `${exact.format(new Date(time))} ${zone}`;
}

const clock = dateFormat({ timeStyle: 'short' });
const dayAndClock = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });

/** `14:03` in the reader's locale; with the date when it is not today. */
export function clockTime(time: number, now = Date.now()): string {
  const isToday = new Date(time).toDateString() === new Date(now).toDateString();
  return (isToday ? clock : dayAndClock).format(time);
}
