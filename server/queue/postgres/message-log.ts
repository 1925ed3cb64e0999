import type { Database } from '#platform/database/database.ts';
import { insertLargePayload, selectLargePayload } from '../messages/large-payload-store.ts';
import { appendMessages, checkDuplicates, type DuplicateCheck, type SealedMessage } from './store.ts';

/** The append log, for an engine that moves messages into it from another queue. */
export interface MessageLog {
  /** Appends the messages in order, without those that are pending or processed already. */
  append(messages: readonly SealedMessage[]): Promise<void>;
  /** Returns one check for each delivery, in the same order. */
  checkDuplicates(deliveries: readonly Delivery[]): Promise<DuplicateCheck[]>;
  /** Stores a sealed body outside the log. Returns the reference for `loadBody`. */
  storeBody(groupId: string, body: Buffer): Promise<string>;
  loadBody(groupId: string, ref: string): Promise<Buffer | undefined>;
}

type Delivery = Pick<SealedMessage, 'groupId' | 'deduplicationId'>;

export function makeMessageLog(db: Database): MessageLog {
  return {
    append: async (messages) => {
      const firsts = new Map<string, SealedMessage>();
      for (const message of messages) {
        const key = JSON.stringify([message.groupId, message.deduplicationId]);
        if (!firsts.has(key)) firsts.set(key, message);
      }
      if (firsts.size > 0) await appendMessages(db, [...firsts.values()]);
    },
    checkDuplicates: (deliveries) => checkDuplicates(db, deliveries),
    storeBody: (groupId, body) => db.withScope('service', (tx) => insertLargePayload(tx, groupId, body)),
    loadBody: (groupId, ref) => db.withScope('service', (tx) => selectLargePayload(tx, groupId, ref)),
  };
}
