import type { Granularity } from '#contract/metrics.ts';

const hour = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
/** Days are days of UTC on the server. */
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** How the hour or the day of a number is told. */
export function timeFormat(granularity: Granularity): (time: number) => string {
  return (time) => (granularity === 'hour' ? hour : day).format(time);
}
