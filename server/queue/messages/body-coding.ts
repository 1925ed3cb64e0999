import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { compress, decompress, isCompressed } from './zstd.ts';

/** Smaller ones gain nothing that pays for the work. */
const minCompressedBytes = 512;

/** Compresses once, then seals once; the group is bound in, so that a body moved to another group does not open. */
export function encodeBody(sealer: Sealer, groupId: string, body: Buffer): Buffer {
  return sealer.seal(body.length < minCompressedBytes ? body : compress(body), sealContext(groupId));
}

/** @throws when the bytes were changed, or sealed for another group. */
export function decodeBody(sealer: Sealer, groupId: string, sealed: Buffer): Buffer {
  const bytes = sealer.open(sealed, sealContext(groupId));
  return isCompressed(bytes) ? decompress(bytes) : bytes;
}

const compressInBackground = promisify(zstdCompress);
const decompressInBackground = promisify(zstdDecompress);

/** The same for tens of MiB, which would hold up everything else for tenths of a second. */
export async function encodeLargeBody(sealer: Sealer, groupId: string, body: Buffer): Promise<Buffer> {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  return sealer.sealLarge(await compressInBackground(body, { params }), sealContext(groupId));
}

export async function decodeLargeBody(sealer: Sealer, groupId: string, sealed: Buffer): Promise<Buffer> {
  return decompressInBackground(await sealer.openLarge(sealed, sealContext(groupId)));
}

/** Binds a body to its group. */
export function sealContext(groupId: string): string {
  return `queue/${groupId}`;
}
