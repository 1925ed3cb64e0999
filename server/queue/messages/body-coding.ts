import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { compress, decompress, isCompressed } from './zstd.ts';

/** Compression of smaller bodies saves too little. */
const minCompressedBytes = 512;

/** Compresses, then seals. The seal includes the group, so a body that was moved to another group cannot be opened. */
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

/** For tens of MiB, which would block the event loop for tenths of a second. */
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
