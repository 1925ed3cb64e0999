import { readDeliveryId } from '../delivery-search.ts';

export interface DeadLetterSearch {
  /** Only this dead letter. */
  messageId?: string | undefined;
}

/** Reads the parameter from an address. Drops a value that the server would refuse. */
export function readDeadLetterSearch(search: Record<string, unknown>): DeadLetterSearch {
  const messageId = readDeliveryId(search['messageId']);
  return messageId === undefined || messageId.length > 100 ? {} : { messageId };
}
