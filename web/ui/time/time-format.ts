import type { Granularity } from '#contract/metrics/metrics.ts';
import { dateFormat } from '../locale.ts';
import { dayFormat } from './day.ts';

/** With the time zone, because one hour occurs twice when daylight saving time ends. */
const hour = dateFormat({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
});
const day = dayFormat({ dateStyle: 'medium' });

/** Formats the hour or day of a value. */
export function timeFormat(granularity: Granularity): (time: number) => string {
  return granularity === 'hour' ? (time) => hour.format(time) : (time) => day.format(time);
}
