import { insertLargePayload, selectLargePayload } from '../messages/large-payload-store.ts';
import { wholeSegment } from '../messages/segment.ts';
import type { OutgoingMessage } from '../queue.ts';
import { appendMessages, withoutRepeats, type AppendDeps } from './append.ts';
import { appendSegment, checkDuplicates, type DuplicateCheck } from './store.ts';

/** The append log, for an engine that moves messages into it from another queue. */
export interface MessageLog {
  /** Appends the messages in order, without those that are pending or processed already. */
  append(messages: readonly OutgoingMessage[]): Promise<void>;
  /** Appends a sealed body that cannot be opened, so that it becomes a dead letter. */
  appendUnreadable(message: OutgoingMessage & { body: Buffer }): Promise<void>;
  /** Returns one check for each delivery, in the same order. */
  checkDuplicates(deliveries: readonly Delivery[]): Promise<DuplicateCheck[]>;
  /** Stores a sealed body outside the log. Returns the reference for `loadBody`. */
  storeBody(groupId: string, body: Buffer): Promise<string>;
  loadBody(groupId: string, ref: string): Promise<Buffer | undefined>;
}

type Delivery = Pick<OutgoingMessage, 'groupId' | 'deduplicationId'>;

export function makeMessageLog({ db, sealer }: AppendDeps): MessageLog {
  return {
    append: async (messages) => void (await appendMessages({ db, sealer }, withoutRepeats(messages))),
    appendUnreadable: async (message) =>
      void (await appendSegment(db, [message], [wholeSegment], message.body)),
    checkDuplicates: (deliveries) => checkDuplicates(db, deliveries),
    storeBody: (groupId, body) => db.withScope('service', (tx) => insertLargePayload(tx, groupId, body)),
    loadBody: (groupId, ref) => db.withScope('service', (tx) => selectLargePayload(tx, groupId, ref)),
  };
}
