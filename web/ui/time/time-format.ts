import type { Granularity } from '#contract/metrics/metrics.ts';
import { dateFormat } from '../locale.ts';

/** With the time zone, because one hour occurs twice when daylight saving time ends. */
const hour = dateFormat({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
/** The server counts days in UTC. */
const day = dateFormat({ dateStyle: 'medium', timeZone: 'UTC' });

/** Formats the hour or day of a value. */
export function timeFormat(granularity: Granularity): (time: number) => string {
  const format = granularity === 'hour' ? hour : day;
  return (time) => format.format(time);
}
