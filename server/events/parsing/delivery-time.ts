/** Version-1 UUIDs count ticks of 100 ns since 1582-10-15. */
export const ticksPerMs = 10_000n;
const ticksAtEpoch = 122_192_928_000_000_000n;

const versionOne = /^([0-9a-f]{8})-([0-9a-f]{4})-1([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * When the forge created the delivery. GitHub's delivery ids are version-1 UUIDs and contain that time. A redelivery keeps its
 * id, so it still sorts as old. Other ids fall back to the time of receipt.
 */
export function deliveryTicks(deliveryId: string | null | undefined, receivedAtMs: number): bigint {
  const parts = versionOne.exec(deliveryId ?? '');
  if (parts) return BigInt(`0x${parts[3]}${parts[2]}${parts[1]}`);
  return BigInt(Math.trunc(receivedAtMs) || 0) * ticksPerMs + ticksAtEpoch;
}

export function ticksToMs(ticks: bigint): number {
  return Number((ticks - ticksAtEpoch) / ticksPerMs);
}
