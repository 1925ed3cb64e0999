import { isUnusual } from '#contract/runs/usual.ts';
import { formatDuration } from '../../../ui/time/format-duration.ts';
import { useNowText } from '../../../ui/time/now.ts';

/** Beside a duration: how it differs from the usual one, or what is left. Normal jobs have no text, runs always the usual duration. */
export function Usual({
  ms,
  since,
  usualMs,
  isNamed = false,
}: {
  /** Null until completed. */
  ms: number | null;
  /** Null when it is not running. */
  since: string | null;
  usualMs: number;
  /** Says the usual duration. */
  isNamed?: boolean;
}) {
  return (
    <>
      {isNamed && <span className="ml-2 text-muted">usually {formatDuration(usualMs)}</span>}
      {ms !== null ? (
        <Difference ms={ms} usualMs={usualMs} />
      ) : (
        since !== null && <TimeLeft since={since} usualMs={usualMs} />
      )}
    </>
  );
}

function Difference({ ms, usualMs }: { ms: number; usualMs: number }) {
  if (!isUnusual(ms, usualMs)) return null;
  const isLonger = ms > usualMs;
  return (
    <span className={`ml-1.5 font-medium whitespace-nowrap ${isLonger ? 'text-waiting' : 'text-muted'}`}>
      {isLonger ? '+' : '−'}
      {formatDuration(Math.abs(ms - usualMs))}
      <span className="sr-only"> {isLonger ? 'longer' : 'shorter'} than usual</span>
    </span>
  );
}

function TimeLeft({ since, usualMs }: { since: string; usualMs: number }) {
  const text = useNowText((now) => leftText(now - Date.parse(since), usualMs));
  return <span className="ml-1.5 whitespace-nowrap text-muted">{text}</span>;
}

/** `about 1m 10s left`; when the usual time is over, by how much. */
function leftText(ranMs: number, usualMs: number): string {
  if (ranMs <= usualMs) return `about ${formatDuration(usualMs - ranMs)} left`;
  return isUnusual(ranMs, usualMs) ? `${formatDuration(ranMs - usualMs)} over` : 'about to end';
}
