import type { Sealer } from '#platform/runtime/sealing.ts';
import { decodeBody } from '#server/queue/body-coding.ts';
import { parseMessage } from '#server/queue/message.ts';
import { payloadNames, type PayloadNames } from '#server/queue/payload-names.ts';
import type { StoredDelivery } from './store.ts';

/** What a message says about itself. */
export interface OpenedDelivery {
  /** The message as it was queued; null when it does not open. */
  text: string | null;
  event: string;
  receivedAt: string | null;
  headers: Record<string, string>;
  payload: unknown;
  /** Also of a payload that lies apart. */
  names: PayloadNames;
  payloadRef: string | undefined;
}

/** Never throws: what does not open, or is no delivery, is shown as far as it can be. */
export function openDelivery(sealer: Sealer, groupId: string, { body }: StoredDelivery): OpenedDelivery {
  const text = openText(sealer, groupId, body);
  const parsed = text === null ? undefined : parseMessage(text);
  const message = parsed?.ok === true && 'eventType' in parsed.message ? parsed.message : undefined;
  return {
    text,
    event: message?.eventType ?? 'unknown',
    receivedAt: message?.receivedAt ?? null,
    headers: message?.headers ?? {},
    payload: message?.payload,
    names: message?.names ?? payloadNames(message?.payload),
    payloadRef: message?.payloadRef,
  };
}

function openText(sealer: Sealer, groupId: string, body: Buffer): string | null {
  try {
    return decodeBody(sealer, groupId, body).toString('utf8');
  } catch {
    return null;
  }
}
