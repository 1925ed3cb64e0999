import { setImmediate } from 'node:timers/promises';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { decodeBody } from '#server/queue/messages/body-coding.ts';
import type { PayloadNames } from '#server/queue/messages/payload-names.ts';
import { namesInPayload, splitMessage } from '#server/queue/messages/split-message.ts';
import type { StoredDelivery } from './store.ts';

/** The content of a message. */
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

/** Opening a larger message takes a few milliseconds. */
const largeBytes = 64 * 1024;

/** Never throws. A message that cannot be opened or is not a delivery has fewer fields. */
export async function openDelivery(
  sealer: Sealer,
  groupId: string,
  { body }: StoredDelivery,
): Promise<OpenedDelivery> {
  if (body.length > largeBytes) await setImmediate();
  const message = decode(sealer, groupId, body);
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

function decode(sealer: Sealer, groupId: string, body: Buffer): Buffer | undefined {
  try {
    return decodeBody(sealer, groupId, body);
  } catch {
    return undefined;
  }
}
