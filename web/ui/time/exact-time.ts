const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** In local time, with the zone. */
export function exactTime(time: string): string {
  return `${exact.format(new Date(time))} ${zone}`;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dayAndClock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** `14:03` in the reader's locale; with the date when it is not today. */
export function clockTime(time: number, now = Date.now()): string {
  const isToday = new Date(time).toDateString() === new Date(now).toDateString();
  return (isToday ? clock : dayAndClock).format(time);
}
