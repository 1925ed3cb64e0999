import { formatDuration, formatMeasured } from '../time/format-duration.ts';
import { formatNumber } from '../locale.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Round durations, in milliseconds. */
export const durationSteps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * hour),
];

/** The units of a chart: format of the grid and of values, and grid steps. */
export const chartUnits = {
  count: {
    format: formatNumber,
    show: formatNumber,
    steps: Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat(),
  },
  duration: {
    format: formatDuration,
    show: formatMeasured,
    steps: [...durationSteps, ...[2, 5, 10, 30, 100].map((count) => count * day)],
  },
} as const satisfies Record<
  string,
  { format: (value: number) => string; show: (value: number) => string; steps: number[] }
>;
export type ChartUnit = keyof typeof chartUnits;

/** A value, or a dash where nothing was measured. */
export function valueText(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value);
}

/** The range of the time axis in seconds: half a bar more on both sides, so that the outer bars are not clipped. */
export function withRoomForBars(times: readonly number[]): [number, number] {
  const [first = 0, second = first + 3600] = times;
  const half = (second - first) / 2;
  return [first - half, (times.at(-1) ?? first) + half];
}
