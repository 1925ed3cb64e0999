import type { Database, Tx } from '#platform/database/database.ts';
import { refusalOf } from '#server/forges/errors.ts';
import type { Forge, Forges } from '#server/forges/port.ts';
import type { Turn } from '#server/tasks/task.ts';
import type { Connection } from './task-kind.ts';

export interface ReadWaitingDeps {
  db: Database;
  forges: Pick<Forges, 'ofConnection'>;
}

/** What a kind of task reads from the forge, and where it keeps that. */
interface Reading<Waiting, Read> {
  /** The oldest first. */
  list(tx: Tx, integrationId: string, installationId: string | null, most: number): Promise<Waiting[]>;
  /** @throws what the forge answers */
  read(forge: Forge, waiting: Waiting): Promise<Read>;
  /** Undefined when the forge refuses. */
  store(tx: Tx, integrationId: string, waiting: Waiting, read: Read | undefined): Promise<void>;
}

const atOnce = 20;

/**
 * Reads what waits for a connection, one after the other. Returns the delay until the next turn; undefined for none.
 * @throws what concerns all that waits: a rate limit, or a forge that fails or does not answer
 */
export async function readWaiting<Waiting, Read>(
  { db, forges }: ReadWaitingDeps,
  { integrationId, installationId }: Connection,
  turn: Turn,
  { list, read, store }: Reading<Waiting, Read>,
): Promise<number | undefined> {
  const scope = { integrationId };
  const waiting = await db.withScope(scope, (tx) => list(tx, integrationId, installationId, atOnce));
  if (waiting.length === 0) return undefined;
  const forge = await forges.ofConnection(integrationId, installationId);
  for (const each of waiting) {
    const found = await unlessRefused(() => read(forge, each));
    turn.signal.throwIfAborted();
    await db.withScope(scope, (tx) => store(tx, integrationId, each, found));
    if (turn.isLong()) return 0;
  }
  return waiting.length === atOnce ? 0 : undefined;
}

async function unlessRefused<Read>(read: () => Promise<Read>): Promise<Read | undefined> {
  try {
    return await read();
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return undefined;
  }
}
