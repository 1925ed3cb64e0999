import { durationSteps } from '../../../ui/chart/chart-units.ts';

const second = 1000;
const day = 86_400 * second;
const maxTicks = 6;

/** Milliseconds since 1970. */
export interface TimeAxis {
  from: number;
  to: number;
}

interface Span {
  createdAt?: string | null;
  startedAt: string | null;
  completedAt: string | null;
}

/** The time range of all spans; open spans end at `now`. Undefined when none has started. */
export function axisOf(spans: readonly Span[], now: number): TimeAxis | undefined {
  const from = Math.min(...spans.map((span) => begin(span) ?? Infinity));
  if (from === Infinity) return undefined;
  const to = Math.max(from + second, ...spans.map((span) => endOf(span, now)));
  return { from, to };
}

function begin({ createdAt, startedAt }: Span): number | undefined {
  const time = createdAt ?? startedAt;
  return time === null ? undefined : Date.parse(time);
}

function endOf(span: Span, now: number): number {
  if (span.completedAt !== null) return Date.parse(span.completedAt);
  return begin(span) === undefined ? -Infinity : now;
}

/** The position of a span on the axis in percent; undefined when outside. */
export function placeOn(
  { from, to }: TimeAxis,
  start: string | null,
  end: string | number | null,
): { left: number; width: number } | undefined {
  if (start === null || end === null) return undefined;
  const share = (time: string | number): number =>
    Math.min(1, Math.max(0, ((typeof time === 'number' ? time : Date.parse(time)) - from) / (to - from)));
  const left = share(start);
  return { left: left * 100, width: Math.max(0, share(end) - left) * 100 };
}

/** Readable ticks since the start of the axis, in milliseconds. */
export function ticksOf({ from, to }: TimeAxis): number[] {
  const length = to - from;
  const step =
    durationSteps.find((size) => length / size <= maxTicks) ?? Math.ceil(length / maxTicks / day) * day;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}
