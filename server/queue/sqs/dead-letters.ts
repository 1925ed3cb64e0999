import { createHash } from 'node:crypto';
import { sweepBatch } from '../policy.ts';
import type { DeadLetterFilter, DeadLetters } from '../queue.ts';
import type { Outbox } from './batch-sender.ts';

/**
 * The letters lie in the log. To put them back, their numbers travel through Amazon SQS, so that they come behind what was
 * sent before and ahead of what is sent later; they lie here until a worker fetches that.
 */
export function makeSqsDeadLetters(letters: DeadLetters, outbox: Outbox): DeadLetters {
  return {
    ...letters,
    redrive: async (filter) => {
      let total = 0;
      for (const [groupId, ids] of await findLetters(letters, filter)) {
        total += ids.length;
        for (let start = 0; start < ids.length; start += sweepBatch) {
          const redrive = ids.slice(start, start + sweepBatch);
          const deduplicationId = createHash('sha256').update(redrive.join()).digest('hex');
          await outbox.send({ groupId, deduplicationId, content: { redrive } });
        }
      }
      return total;
    },
  };
}

/** Ids by group, oldest first. */
async function findLetters(
  letters: DeadLetters,
  { groupId, messageIds }: DeadLetterFilter,
): Promise<Map<string, string[]>> {
  const named = messageIds && new Set(messageIds);
  const found = new Map<string, string[]>();
  for (let after: string | undefined; ;) {
    const page = await letters.list({
      limit: sweepBatch,
      ...(groupId === undefined ? {} : { groupId }),
      ...(after === undefined ? {} : { after }),
    });
    for (const letter of page) {
      if (named?.has(letter.messageId) === false) continue;
      const ids = found.get(letter.groupId);
      if (ids === undefined) found.set(letter.groupId, [letter.messageId]);
      else ids.push(letter.messageId);
    }
    after = page.at(-1)?.messageId;
    if (after === undefined) return found;
  }
}
