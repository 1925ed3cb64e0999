import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
} from 'node:zlib';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';

/** The cheapest of Node's public calls for a webhook, see docs/decisions/0005-a-kept-zstd-context.md. */
const fastest = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

/** Compresses, then seals. The seal includes the group, so a body that was moved to another group cannot be opened. */
export function encodeBody(sealer: Sealer, groupId: string, body: Buffer): Buffer {
  return sealer.seal(brotliCompressSync(body, fastest), sealContext(groupId));
}

/** @throws when the bytes were changed, or sealed for another group. */
export function decodeBody(sealer: Sealer, groupId: string, sealed: Buffer): Buffer {
  return brotliDecompressSync(sealer.open(sealed, sealContext(groupId)));
}

const compressInBackground = promisify(brotliCompress);
const decompressInBackground = promisify(brotliDecompress);

/** For tens of MiB, which would block the event loop for tenths of a second. */
export async function encodeLargeBody(sealer: Sealer, groupId: string, body: Buffer): Promise<Buffer> {
  return sealer.sealLarge(await compressInBackground(body, fastest), sealContext(groupId));
}

export async function decodeLargeBody(sealer: Sealer, groupId: string, sealed: Buffer): Promise<Buffer> {
  return decompressInBackground(await sealer.openLarge(sealed, sealContext(groupId)));
}

/** Binds a body to its group. */
export function sealContext(groupId: string): string {
  return `queue/${groupId}`;
}
