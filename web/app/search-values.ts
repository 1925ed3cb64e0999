/** The text of a query parameter. Undefined for what the server would refuse: empty, too long or not storable. */
export function readText(value: unknown, maxLength: number): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '' || text.length > maxLength) return undefined;
  return text.includes('\0') || !text.isWellFormed() ? undefined : text;
}

/** The years that the server accepts, see `TimeInput`. */
const [firstTime, endOfTimes] = [Date.UTC(1970, 0), Date.UTC(9000, 0)];

/** An ISO 8601 day or time, in the format of the API. Undefined for other texts and for years that the server refuses. */
export function readTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(T|$)/.test(value)) return undefined;
  const time = Date.parse(value);
  return time >= firstTime && time < endOfTimes ? new Date(time).toISOString() : undefined;
}

const dayMs = 86_400_000;

/** Both ends in order and not too far apart, or none. */
export function readRange(
  search: Record<string, unknown>,
  longestDays: number,
): { from?: string; to?: string } {
  const [from, to] = [readTime(search['from']), readTime(search['to'])];
  if (from === undefined || to === undefined) return {};
  const spanMs = Date.parse(to) - Date.parse(from);
  return spanMs > 0 && spanMs <= longestDays * dayMs ? { from, to } : {};
}

/** A number that is positive and whole. Undefined for other spellings, such as `1e3`. */
export function readNumber(value: unknown): number | undefined {
  const text = readText(value, 15);
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

/** Without the parameters that an address does not have. */
export function given<Search extends object>(search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Search;
}

/** The value if it is one of these. */
export function readChoice<Value extends string>(
  choices: readonly Value[],
  value: unknown,
): Value | undefined {
  return choices.find((each) => each === value);
}
