/** One fixed channel for a deployment: listeners are woken by what they ask for, not by each integration. */
export const channel = 'realtime';

/** Announces a node, so that others stop assuming that they are alone. */
export const newNodePayload = 'node';

/** Joins the latest number of each integration to payloads of at most `maxBytes` (all ASCII). */
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
