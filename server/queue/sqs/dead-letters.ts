import { createHash } from 'node:crypto';
import { sweepBatch } from '../policy.ts';
import type { DeadLetterFilter, DeadLetters } from '../queue.ts';
import type { SqsSender } from './send.ts';

/**
 * Dead letters are stored in the log. A retry sends their ids through Amazon SQS to keep the order: after earlier messages,
 * before later ones. They stay dead letters until a worker fetches that message.
 */
export function makeSqsDeadLetters(deadLetters: DeadLetters, sender: SqsSender): DeadLetters {
  return {
    ...deadLetters,
    redrive: async (filter) => {
      let total = 0;
      for (const [groupId, ids] of await findDeadLetters(deadLetters, filter)) {
        total += ids.length;
        for (let start = 0; start < ids.length; start += sweepBatch) {
          const redrive = ids.slice(start, start + sweepBatch);
          const deduplicationId = createHash('sha256').update(redrive.join()).digest('hex');
          await sender.add({ groupId, deduplicationId, content: { redrive } });
        }
      }
      return total;
    },
  };
}

/** Ids by group, oldest first. */
async function findDeadLetters(
  deadLetters: DeadLetters,
  { groupId, messageIds }: DeadLetterFilter,
): Promise<Map<string, string[]>> {
  const named = messageIds && new Set(messageIds);
  const found = new Map<string, string[]>();
  for (let after: string | undefined; ;) {
    const page = await deadLetters.list({
      limit: sweepBatch,
      ...(groupId === undefined ? {} : { groupId }),
      ...(after === undefined ? {} : { after }),
    });
    for (const deadLetter of page) {
      if (named?.has(deadLetter.messageId) === false) continue;
      const ids = found.get(deadLetter.groupId);
      if (ids === undefined) found.set(deadLetter.groupId, [deadLetter.messageId]);
      else ids.push(deadLetter.messageId);
    }
    after = page.at(-1)?.messageId;
    if (after === undefined) return found;
  }
}
