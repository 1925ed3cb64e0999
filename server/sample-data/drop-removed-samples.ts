import type { Tx } from '#platform/database/database.ts';
import { listOpenGenerations, noteLeftovers } from './sample-data-store.ts';

interface SampleMessage {
  event: { integrationId: string };
  /** Null for a delivery of a forge. */
  sampleGeneration: number | null;
}

/**
 * Leaves out sample data that was removed while it waited in the queue. The caller is the only writer of the integrations, so a
 * removal either waits for this transaction or is seen by it.
 */
export async function dropRemovedSamples<Message extends SampleMessage>(
  tx: Tx,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const samples = messages.filter(({ sampleGeneration }) => sampleGeneration !== null);
  if (samples.length === 0) return messages;
  const open = await listOpenGenerations(tx, idsOf(samples));
  const isOpen = ({ event, sampleGeneration }: Message): boolean =>
    sampleGeneration === null || open.get(event.integrationId) === sampleGeneration;
  const removed = messages.filter((message) => !isOpen(message));
  if (removed.length > 0) await noteLeftovers(tx, idsOf(removed));
  return messages.filter(isOpen);
}

function idsOf(messages: readonly SampleMessage[]): string[] {
  return [...new Set(messages.map(({ event }) => event.integrationId))];
}
