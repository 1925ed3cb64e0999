/** The notification channel of all nodes. One channel, because a LISTEN per integration would not scale. */
export const channel = 'realtime';

/** Announces a new node, so that the others start to notify it. */
export const newNodePayload = 'node';

/** Packs `integrationId:seq` pairs into payloads of at most `maxBytes` (ASCII). */
export function pointerPayloads(latest: ReadonlyMap<string, number>, maxBytes: number): string[] {
  const payloads: string[] = [];
  let current = '';
  for (const [integrationId, seq] of latest) {
    const pointer = `${integrationId}:${seq}`;
    if (current.length + 1 + pointer.length > maxBytes) {
      payloads.push(current);
      current = '';
    }
    current = current === '' ? pointer : `${current},${pointer}`;
  }
  return current === '' ? payloads : [...payloads, current];
}
