import { exactTime } from './exact-time.ts';
import { formatAgo, formatDuration } from './format-duration.ts';
import { useNowText } from './now.ts';

/** The age of a time, with the exact time as a tooltip on hover and focus. */
export function TimeAgo({ time, isFocusable = false }: { time: string; isFocusable?: boolean }) {
  const ago = useNowText((now) => formatAgo(now - Date.parse(time)));
  return (
    <time
      dateTime={time}
      className="group/time relative whitespace-nowrap rounded-xs"
      // A time outside a row needs a tabindex, so that its tooltip is reachable by keyboard.
      {...(isFocusable ? { tabIndex: 0 } : {})}
    >
      <span className="age">{ago}</span>
      <ExactTime time={time} />
    </time>
  );
}

function ExactTime({ time }: { time: string }) {
  return <span className="exact-time">{exactTime(time)}</span>;
}

/** A finished duration, or one that counts from `since`. */
export function Duration({ ms, since }: { ms: number | null; since: string | null }) {
  if (ms !== null) return formatDuration(ms);
  return since === null ? <NoValue /> : <Ticking since={since} />;
}

function Ticking({ since }: { since: string }) {
  return useNowText((now) => formatDuration(now - Date.parse(since)));
}

function NoValue() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span className="sr-only">none yet</span>
    </>
  );
}
