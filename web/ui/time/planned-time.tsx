import { clockTime, exactTime } from './exact-time.ts';

/** A time in the future, with the exact one as a tooltip. */
export function PlannedTime({ time }: { time: string }) {
  return (
    <time dateTime={time} title={exactTime(time)} className="whitespace-nowrap">
      {clockTime(Date.parse(time))}
    </time>
  );
}
