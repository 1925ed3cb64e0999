import type { Database } from '#platform/database/database.ts';
import { isUuid, type RowScope } from '#platform/database/scope.ts';
import { sweepBatch } from '../../policy.ts';
import type { DeadLetterFilter, DeadLetters } from '../../queue.ts';
import {
  dropDeadLetters,
  listDeadLetters,
  newestDeadLetter,
  redriveDeadLetters,
} from './dead-letter-store.ts';

export function makeDeadLetters(db: Database, onRedriven: () => void): DeadLetters {
  return {
    list: ({ after, ...options } = {}) =>
      db.withScope(scopeOf(options), (tx) =>
        listDeadLetters(tx, { ...knownOnly(options), ...(isMessageId(after) ? { after } : {}) }),
      ),
    redrive: async (filter) => {
      const newest = await db.withScope(scopeOf(filter), newestDeadLetter);
      let total = 0;
      for (let count = -1; count !== 0; total += count) {
        count = await db.withScope(scopeOf(filter), (tx) =>
          redriveDeadLetters(tx, knownOnly(filter), newest, sweepBatch),
        );
        if (count > 0) onRedriven();
      }
      return total;
    },
    drop: (filter) => db.withScope(scopeOf(filter), (tx) => dropDeadLetters(tx, knownOnly(filter))),
  };
}

/** The api role may access the dead letters of an integration only in its scope. Other groups belong to no integration. */
function scopeOf({ groupId }: { groupId?: string }): RowScope {
  return groupId !== undefined && isUuid(groupId) ? { integrationId: groupId } : 'service';
}

/** Ids come from user input. The ids of this engine fit a bigint. */
function isMessageId(id: string | undefined): id is string {
  return id !== undefined && /^\d{1,18}$/.test(id);
}

function knownOnly<Filter extends DeadLetterFilter>({ messageIds, ...filter }: Filter) {
  return messageIds === undefined ? filter : { ...filter, messageIds: messageIds.filter(isMessageId) };
}
