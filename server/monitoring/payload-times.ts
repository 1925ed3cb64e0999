const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since the epoch; null for what is no ISO 8601 time with a zone or lies before 1970 (Go writes year 1 for "none"). */
export function timeMs(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 40 || !isoTime.test(value)) return null;
  const ms = Date.parse(value);
  return ms > 0 ? ms : null;
}

/** The same as text in UTC with milliseconds, for times that are only handed on. */
export function timeText(value: unknown): string | null {
  const ms = timeMs(value);
  return ms === null ? null : new Date(ms).toISOString();
}

/** A stored time as the contract shows it. */
export function showTime(ms: number): string;
export function showTime(ms: number | null): string | null;
export function showTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
