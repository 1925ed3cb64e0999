import { exactTime } from './exact-time.ts';
import { formatAgo, formatDuration, formatFor } from './format-duration.ts';
import { useNowText } from './now.ts';

interface TimeProps {
  time: string;
  isFocusable?: boolean;
}

/** The age of a time: `3h ago`. */
export function TimeAgo(props: TimeProps) {
  return <Age {...props} format={formatAgo} />;
}

/** How long something lasts that began at the time: `for 3h`. */
export function TimeFor(props: TimeProps) {
  return <Age {...props} format={formatFor} beforeExact="since " />;
}

/** With the exact time as a tooltip on hover and focus, and on paper instead. */
function Age({
  time,
  isFocusable = false,
  format,
  beforeExact,
}: TimeProps & { format: (ageMs: number) => string; beforeExact?: string }) {
  const age = useNowText((now) => format(now - Date.parse(time)));
  return (
    <time
      dateTime={time}
      className="group/time relative whitespace-nowrap rounded-xs"
      // A time outside a row needs a tabindex, so that its tooltip is reachable by keyboard.
      {...(isFocusable ? { tabIndex: 0 } : {})}
    >
      <span className="age">{age}</span>
      {beforeExact && <span className="hidden print:inline">{beforeExact}</span>}
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
