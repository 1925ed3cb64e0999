import type { Database } from '#platform/database/database.ts';
import { insertLargePayload, selectLargePayload } from '../messages/large-payload-store.ts';
import { appendMessages, readKnowledge, type Knowledge, type SealedMessage } from './store.ts';

/** The append log as an engine uses it that brings messages into it from elsewhere. */
export interface MessageLog {
  /** Appends in order what is new; what is pending or processed already is left out. */
  append(messages: readonly SealedMessage[]): Promise<void>;
  /** What it knows of deliveries, in the order given. */
  look(deliveries: readonly Delivery[]): Promise<Knowledge[]>;
  /** Keeps a sealed body apart; answers the reference that `find` takes. */
  keep(groupId: string, body: Buffer): Promise<string>;
  find(groupId: string, ref: string): Promise<Buffer | undefined>;
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
    look: (deliveries) => readKnowledge(db, deliveries),
    keep: (groupId, body) => db.withScope('service', (tx) => insertLargePayload(tx, groupId, body)),
    find: (groupId, ref) => db.withScope('service', (tx) => selectLargePayload(tx, groupId, ref)),
  };
}
