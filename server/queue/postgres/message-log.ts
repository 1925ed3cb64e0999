import { insertLargePayload, selectLargePayload } from '../messages/large-payload-store.ts';
import { wholeSegment } from '../messages/segment.ts';
import type { OutgoingMessage } from '../queue.ts';
import { appendMessages, withoutRepeats, type AppendDeps } from './append.ts';
import { appendSegment, checkDuplicates } from './store.ts';

/** The append log, for an engine that moves messages into it from another queue. */
export type MessageLog = ReturnType<typeof makeMessageLog>;

export function makeMessageLog({ db, sealer }: AppendDeps) {
  return {
    /** Appends the messages in order, without those that are pending or processed already. */
    append: async (messages: readonly OutgoingMessage[]): Promise<void> =>
      void (await appendMessages({ db, sealer }, withoutRepeats(messages))),
    /** Appends a sealed body that cannot be opened, so that it becomes a dead letter. */
    appendUnreadable: async (message: OutgoingMessage & { body: Buffer }): Promise<void> =>
      void (await appendSegment(db, [message], [wholeSegment], message.body)),
    /** Returns one check for each delivery, in the same order. */
    checkDuplicates: checkDuplicates.bind(undefined, db),
    /** Stores a sealed body outside the log. Returns the reference for `loadBody`. */
    storeBody: (groupId: string, body: Buffer) =>
      db.withScope('service', (tx) => insertLargePayload(tx, groupId, body)),
    loadBody: (groupId: string, ref: string) =>
      db.withScope('service', (tx) => selectLargePayload(tx, groupId, ref)),
  };
}
