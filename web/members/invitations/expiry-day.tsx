import { dateFormat } from '../../ui/locale.ts';
import { exactTime } from '../../ui/time/exact-time.ts';

const day = dateFormat({ dateStyle: 'medium' });

/** The day on which an invitation expires. */
export function ExpiryDay({ time }: { time: string }) {
  return (
    <time dateTime={time} title={exactTime(time)}>
      {day.format(new Date(time))}
    </time>
  );
}
