import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Sealer } from '#platform/runtime/sealing.ts';

/** How a stored body was made; kept beside it. */
export const encodings = { plain: 0, brotli: 1 } as const;

export interface CodedBody {
  encoding: number;
  bytes: Buffer;
}

/** Smaller ones gain nothing that pays for the work. */
const smallestCompressed = 512;

/**
 * Fastest of what was measured on a 10 KB webhook (two thirds of the time of deflate at level 1, half of zstd), at about
 * a quarter of the size.
 */
const fastest = {
  // Room for a common body; the default of 16 KiB is allocated and thrown away for each.
  chunkSize: 4096,
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 14 },
};

/** Compresses once, then seals once; the group is bound in, so that a body moved to another group does not open. */
export function encodeBody(sealer: Sealer, groupId: string, body: Buffer): CodedBody {
  const isSmall = body.length < smallestCompressed;
  const packed = isSmall ? body : brotliCompressSync(body, fastest);
  return {
    encoding: isSmall ? encodings.plain : encodings.brotli,
    bytes: sealer.seal(packed, context(groupId)),
  };
}

/** @throws when the bytes were changed, or sealed for another group. */
export function decodeBody(sealer: Sealer, groupId: string, { encoding, bytes }: CodedBody): Buffer {
  const packed = sealer.open(bytes, context(groupId));
  return encoding === encodings.brotli ? brotliDecompressSync(packed) : packed;
}

function context(groupId: string): string {
  return `queue/${groupId}`;
}
