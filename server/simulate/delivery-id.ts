/** Milliseconds from the start of the Gregorian calendar to the Unix epoch. Version-1 UUIDs count from the former. */
const gregorianOffsetMs = 12_219_292_800_000;
const ticksPerMs = 10_000;

/**
 * Creates delivery ids like GitHub's: version-1 UUIDs with the event's time in milliseconds. Ids are unique: a counter fills the
 * ticks in the millisecond, and then the clock sequence.
 */
export function createDeliveryIds(nodeHex: string): (atMs: number) => string {
  // The multicast bit marks a node id that is not a network address (RFC 9562, section 6.10).
  const node =
    (Number.parseInt(nodeHex.slice(0, 2), 16) | 1).toString(16).padStart(2, '0') + nodeHex.slice(2, 12);
  let count = 0;
  return (atMs) => {
    const ticks = BigInt(atMs + gregorianOffsetMs) * BigInt(ticksPerMs) + BigInt(count % ticksPerMs);
    const clock = 0x8000 | (Math.floor(count / ticksPerMs) & 0x3fff);
    count += 1;
    const time = ticks.toString(16).padStart(15, '0');
    return `${time.slice(7)}-${time.slice(3, 7)}-1${time.slice(0, 3)}-${clock.toString(16)}-${node}`;
  };
}
