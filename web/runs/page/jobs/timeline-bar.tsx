import { statusOf, type Tone } from '../../run-status.ts';
import { placeOn, type TimeAxis } from './time-axis.ts';

const fills: Record<Tone, string> = {
  idle: 'bg-line-strong',
  running: 'bg-running',
  waiting: 'bg-waiting',
  passed: 'bg-passed',
  failed: 'bg-failed',
};

interface Span {
  status: string;
  conclusion: string | null;
  createdAt?: string | null;
  startedAt: string | null;
  completedAt: string | null;
}

/** Waiting as a thin line and running as a bar. The times beside it give the same information as text. */
export function TimelineBar({
  span,
  axis,
  now,
  isThin = false,
}: {
  span: Span;
  axis: TimeAxis;
  now: number;
  isThin?: boolean;
}) {
  const end = span.completedAt ?? now;
  const waited = placeOn(axis, span.createdAt ?? null, span.startedAt ?? end);
  const ran = placeOn(axis, span.startedAt, end);
  return (
    <span aria-hidden className="relative block h-4">
      {waited && (
        <span
          className="absolute top-1/2 h-px -translate-y-1/2 bg-faint"
          style={{ left: `${waited.left}%`, width: `${waited.width}%` }}
        />
      )}
      {ran && (
        <span
          className={`absolute top-1/2 min-w-0.5 -translate-y-1/2 rounded-xs ${isThin ? 'h-1.5' : 'h-3'} ${fills[statusOf(span).tone]}`}
          style={{ left: `${ran.left}%`, width: `${ran.width}%` }}
        />
      )}
    </span>
  );
}
