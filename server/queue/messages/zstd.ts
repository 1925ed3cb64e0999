import {
  constants,
  createZstdCompress,
  createZstdDecompress,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import type { Transform } from 'node:stream';

/** Larger results are left to the one-shot call. */
const outputBytes = 64 * 1024;

/**
 * Zstandard for many small texts. Node's one-shot calls allocate a context of a few hundred KiB each time, which costs
 * several times as much as compressing 10 KB. One context is reused instead, through an undocumented synchronous call of the
 * streams. A Node without that call uses the one-shot calls.
 */
export const compress = reuse(
  () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
);

/** @throws when the bytes are not a Zstandard frame. */
export const decompress = reuse(createZstdDecompress, (bytes) => zstdDecompressSync(bytes));

/** The first bytes of every Zstandard frame (RFC 8878). No UTF-8 text begins with them. */
const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

export function isCompressed(bytes: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

/** Undocumented parts of Node's compression streams. */
interface Context {
  _handle?: {
    writeSync?(
      mode: number,
      input: Buffer,
      inputStart: number,
      inputLength: number,
      output: Buffer,
      outputStart: number,
      outputLength: number,
    ): void;
  } | null;
  /** After a call: bytes left free in the output, bytes not read of the input. */
  _writeState?: Uint32Array;
}

function reuse(make: () => Transform, oneShot: (bytes: Buffer) => Buffer): (bytes: Buffer) => Buffer {
  const output = Buffer.allocUnsafeSlow(outputBytes);
  let context: Context | undefined;
  return (bytes) => {
    context ??= make() as Context;
    const { _handle: handle, _writeState: state } = context;
    if (bytes.length >= outputBytes || handle?.writeSync === undefined || state === undefined)
      return oneShot(bytes);
    let isBroken = false;
    Object.assign(handle, { onerror: () => (isBroken = true) });
    handle.writeSync(constants.ZSTD_e_end, bytes, 0, bytes.length, output, 0, outputBytes);
    const [free = 0, unread = 0] = state;
    if (!isBroken && free > 0 && unread === 0) return Buffer.from(output.subarray(0, outputBytes - free));
    // The context is in the middle of a frame and cannot be reused.
    context = undefined;
    return oneShot(bytes);
  };
}
