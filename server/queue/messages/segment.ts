import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { maxMessageBytes } from '../policy.ts';
import type { Bytes } from '../queue.ts';
import { decodeBody, encodeBody, sealContext } from './body-coding.ts';

/** Where a message is in its opened segment. */
export interface Place {
  start: number;
  length: number;
}

interface Message {
  groupId: string;
  body: Bytes;
}

/** Segments hold messages of several groups, so their seal names none. */
const sealedAs = 'segment';
export const segmentContext = sealContext(sealedAs);

/**
 * Puts the messages of one commit together. Each starts with its group, which binds the body to it: a row of another group that
 * names the same place does not open. The segment is written into `memory` if that is large enough.
 */
export function packSegment(
  messages: readonly Message[],
  memory?: Buffer,
): { plain: Buffer; places: Place[] } {
  const prefixes = messages.map(({ groupId }) => prefixOf(groupId));
  const total = messages.reduce((sum, { body }, index) => sum + prefixes[index]!.length + body.length, 0);
  const plain =
    memory !== undefined && memory.length >= total ? memory.subarray(0, total) : Buffer.allocUnsafe(total);
  let end = 0;
  const places = messages.map(({ body }, index): Place => {
    const start = end;
    end += prefixes[index]!.copy(plain, end);
    end += body.copy(plain, end);
    return { start, length: end - start };
  });
  return { plain, places };
}

export function sealSegment(sealer: Sealer, plain: Buffer): Buffer {
  return encodeBody(sealer, sealedAs, plain);
}

/** @throws when the bytes were changed, or their key is not configured. */
export function openSegment(sealer: Sealer, sealed: Buffer): Buffer {
  return decodeBody(sealer, sealedAs, sealed);
}

/** The body of the message at a place. @throws when the place belongs to another group. */
export function bodyAt(plain: Buffer, groupId: string, { start, length }: Place): Buffer {
  const message = plain.subarray(start, start + length);
  const prefix = prefixOf(groupId);
  if (!message.subarray(0, prefix.length).equals(prefix))
    throw new Error('the place is that of another message');
  return message.subarray(prefix.length);
}

/** A sealed segment of one message. */
export function sealMessage(sealer: Sealer, message: Message): Buffer {
  return sealSegment(sealer, packSegment([message]).plain);
}

/** The place of the message in a segment of its own, whatever its length. */
export const wholeSegment: Place = { start: 0, length: 2 * maxMessageBytes };

/** @throws when the bytes were changed, their key is not configured, or they belong to another group. */
export function openMessage(sealer: Sealer, groupId: string, sealed: Buffer): Buffer {
  return bodyAt(openSegment(sealer, sealed), groupId, wholeSegment);
}

/** Overwrites the places. Returns whether the segment holds other messages. */
export function blankPlaces(plain: Buffer, places: readonly Place[]): boolean {
  for (const { start, length } of places) plain.fill(0, start, start + length);
  return plain.some((byte) => byte !== 0);
}

/** No group contains a line break. */
function prefixOf(groupId: string): Buffer {
  return Buffer.from(`${groupId}\n`);
}
