/** Reads the header `Retry-After`: seconds or a date (RFC 9110, 10.2.3). Undefined for anything else. */
export function readRetryAfterMs(value: unknown, now: number): number | undefined {
  const text = String(value ?? '')
    .slice(0, 60)
    .trim();
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
