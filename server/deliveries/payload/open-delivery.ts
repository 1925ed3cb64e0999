import { bodyAt } from '#server/queue/messages/segment.ts';
import type { PayloadNames } from '#server/queue/messages/payload-names.ts';
import { namesInPayload, splitMessage } from '#server/queue/messages/split-message.ts';
import type { StoredDelivery } from '../store.ts';

export interface OpenedDelivery {
  /** The message as queued. Undefined when it cannot be opened. */
  message: Buffer | undefined;
  event: string;
  receivedAt: string | null;
  headers: Record<string, string>;
  /** As received. Undefined when it is stored separately. */
  payload: Buffer | undefined;
  /** Also set for a payload that is stored separately. */
  names: PayloadNames;
  payloadRef: string | undefined;
}

/** Never throws. A message that cannot be opened or is not a delivery has fewer fields. */
export function openDelivery(
  segment: Buffer | undefined,
  groupId: string,
  stored: StoredDelivery,
): OpenedDelivery {
  const message = segment && decode(segment, groupId, stored);
  const { envelope, payload } = message === undefined ? {} : splitMessage(message);
  const head = envelope?.ok === true && 'eventType' in envelope.message ? envelope.message : undefined;
  return {
    message,
    event: head?.eventType ?? 'unknown',
    receivedAt: head?.receivedAt ?? null,
    headers: head?.headers ?? {},
    payload,
    names: head?.names ?? namesInPayload(payload ?? Buffer.alloc(0)),
    payloadRef: head?.payloadRef,
  };
}

function decode(segment: Buffer, groupId: string, stored: StoredDelivery): Buffer | undefined {
  try {
    return bodyAt(segment, groupId, stored);
  } catch {
    return undefined;
  }
}
