import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { bodyAt, openSegment, sealMessage } from '../messages/segment.ts';
import { replaceDeadLetterBody, selectNewDeadLetters, type NewDeadLetter } from './dead-letter-store.ts';

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
      const own = ownSegment(sealer, deadLetter);
      if (own !== undefined) void replaceDeadLetterBody(tx, deadLetter.messageId, own);
    }
    after = added.length === atOnce ? added.at(-1)?.messageId : undefined;
  }
}

function ownSegment(sealer: Sealer, { groupId, segment, ...place }: NewDeadLetter): Buffer | undefined {
  try {
    return sealMessage(sealer, { groupId, body: bodyAt(openSegment(sealer, segment), groupId, place) });
  } catch {
    return undefined;
  }
}
