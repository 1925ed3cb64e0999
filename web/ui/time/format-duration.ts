const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `32s`, `3m 05s`, `2h 05m`, `3d 4h`: two units are enough to compare. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms < minute) return `${Math.floor(ms / second)}s`;
  if (ms < hour) return `${Math.floor(ms / minute)}m ${pad(Math.floor((ms % minute) / second))}s`;
  if (ms < day) return `${Math.floor(ms / hour)}h ${pad(Math.floor((ms % hour) / minute))}m`;
  return `${Math.floor(ms / day)}d ${Math.floor((ms % day) / hour)}h`;
}

const roundSeconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];
/** Percentiles are known within 2 %, so within 4 % between the lowest and the highest possible value. */
const knownWithin = 0.04;

/** A percentile, as exact as it is known: `≈ 5m 10s`; a dash when there is none. */
export function formatMeasured(ms: number | null): string {
  if (ms === null) return '–';
  const step = (roundSeconds.findLast((each) => each * second <= ms * knownWithin) ?? 1) * second;
  return `≈ ${formatDuration(Math.round(ms / step) * step)}`;
}

/** `4s ago` to `11mo ago`; `now` also for future times of fast clocks. */
export function formatAgo(ageMs: number): string {
  return ageMs < second ? 'now' : `${formatAge(ageMs)} ago`;
}

/** `for 4s` to `for 11mo`, since a time that is `ageMs` ago. */
export function formatFor(ageMs: number): string {
  return `for ${formatAge(Math.max(ageMs, second))}`;
}

function formatAge(ageMs: number): string {
  if (ageMs < minute) return `${Math.floor(ageMs / second)}s`;
  if (ageMs < hour) return `${Math.floor(ageMs / minute)}m`;
  if (ageMs < day) return `${Math.floor(ageMs / hour)}h`;
  const days = Math.floor(ageMs / day);
  const [months, years] = [Math.floor(days / 30.44), Math.floor(days / 365.25)];
  if (months < 2) return `${days}d`;
  return years < 2 ? `${months}mo` : `${years}y`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
