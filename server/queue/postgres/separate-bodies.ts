import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { bodyAt, openSegment, sealMessage, type Place } from '../messages/segment.ts';
import {
  replaceDeadLetterBody,
  selectNewDeadLetters,
  type NewDeadLetter,
} from './dead-letters/dead-letter-store.ts';

/** Dead letters in one query. Each comes with up to 1 MiB. */
const atOnce = 10;

/**
 * Gives each dead letter of this transaction a segment of its own. Before, it has a copy of the segment of its message, which
 * holds messages of other integrations. One that cannot be opened keeps the copy.
 */
export async function separateBodies(tx: Tx, sealer: Sealer): Promise<void> {
  for (let after: string | undefined = '0'; after !== undefined;) {
    const added = await selectNewDeadLetters(tx, after, atOnce);
    for (const deadLetter of added) {
      const own = openOwn(sealer, deadLetter);
      if (own !== undefined) replaceDeadLetterBody(tx, deadLetter.messageId, own);
    }
    after = added.length === atOnce ? added.at(-1)?.messageId : undefined;
  }
}

/** A sealed copy of one message of an opened segment. @throws when the place is that of another group. */
export function ownSegment(sealer: Sealer, segment: Buffer, message: Place & { groupId: string }): Buffer {
  const { groupId } = message;
  return sealMessage(sealer, { groupId, body: bodyAt(segment, groupId, message) });
}

function openOwn(sealer: Sealer, deadLetter: NewDeadLetter): Buffer | undefined {
  try {
    return ownSegment(sealer, openSegment(sealer, deadLetter.segment), deadLetter);
  } catch {
    return undefined;
  }
}
