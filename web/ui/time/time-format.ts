import type { Granularity } from '#contract/metrics.ts';

/** With the zone, as the hour in which summer time ends comes twice. */
const hour = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
/** Days are days of UTC on the server. */
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** How the hour or the day of a number is told. */
export function timeFormat(granularity: Granularity): (time: number) => string {
  const format = granularity === 'hour' ? hour : day;
  return (time) => format.format(time);
}
