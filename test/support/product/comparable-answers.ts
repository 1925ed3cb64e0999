const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const number = /"(?:deliveryId|seq|epoch|nextCursor|redMs|observedMs)":(?:"[^"]*"|\d+)/g;
const growing = /(?<="until":null,"durationMs":)\d+/g;

/** Without what the database gives, what grows until now, and the time of receipt: all events happened before `now`. */
export const comparable = (text: string, now: number): unknown =>
  parsed(
    text
      .replaceAll(uuid, 'an id')
      .replaceAll(number, '"number":0')
      .replaceAll(growing, '0')
      .replaceAll(time, (at) => (Date.parse(at) > now ? 'a time of receipt' : at)),
  );

const parsed = (text: string): unknown => (text.startsWith('{') ? sorted(JSON.parse(text)) : text);

/** Lists without order: equal figures have none. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, sorted(part)]));
}

/** The event log, without order, because two entries may be written in the same moment. */
export function entriesOf(text: string): string[] {
  const { items } = JSON.parse(text) as { items: { type: string; title: string }[] };
  return items
    .filter(({ type }) => type !== 'integration.sample_data_removed')
    .map(({ type, title }) => `${type}: ${title}`)
    .toSorted();
}
