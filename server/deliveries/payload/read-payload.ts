import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress } from 'node:zlib';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { sealContext } from '#server/queue/messages/body-coding.ts';
import type { OpenedDelivery } from './open-delivery.ts';
import { readPayloadPart } from '../store.ts';

export type ReadPayloadDeps = Pick<SharedDeps, 'db' | 'sealer'>;

/** A part takes a few milliseconds to open. */
const partBytes = 512 * 1024;

/**
 * Streams the payload as received, to limit memory and time for large ones. Undefined when it cannot be opened, or was
 * stored separately and deleted. The stream fails at its end when the seal is broken.
 */
export async function readPayload(
  deps: ReadPayloadDeps,
  integrationId: string,
  { payload, payloadRef }: OpenedDelivery,
): Promise<Readable | undefined> {
  if (payloadRef === undefined) return payload && Readable.from([payload]);
  const readPart: ReadPart = (start) =>
    deps.db.withScope({ integrationId }, (tx) => readPayloadPart(tx, payloadRef, start, partBytes));
  const first = await readPart(0);
  if (first === undefined) return undefined;
  const opened = Readable.from(openParts(deps.sealer, integrationId, first, readPart));
  // The reader of the stream receives errors.
  return pipeline(opened, createBrotliDecompress(), () => {});
}

/** Whether the payload exists. Does not open a payload that is stored separately. */
export async function hasPayload(
  { db }: ReadPayloadDeps,
  integrationId: string,
  { payload, payloadRef }: OpenedDelivery,
): Promise<boolean> {
  if (payloadRef === undefined) return payload !== undefined;
  return (await db.withScope({ integrationId }, (tx) => readPayloadPart(tx, payloadRef, 0, 1))) !== undefined;
}

type ReadPart = (start: number) => Promise<Buffer | undefined>;

async function* openParts(
  sealer: Sealer,
  integrationId: string,
  first: Buffer,
  readPart: ReadPart,
): AsyncGenerator<Buffer> {
  const opening = sealer.opening(first, sealContext(integrationId));
  yield opening.update(first.subarray(opening.headerBytes));
  let start = first.length;
  for (let part: Buffer | undefined = first; part?.length === partBytes; start += part?.length ?? 0) {
    part = await readPart(start);
    if (part === undefined) throw new Error('the payload was forgotten while it was read');
    yield opening.update(part);
  }
  opening.finish();
}
