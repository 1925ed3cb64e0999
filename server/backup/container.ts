/**
 * The content of a backup is a series of frames: a byte for the kind, four for the length, the payload. `note` is JSON, `data` a
 * part of the rows of a table as COPY writes them.
 */
export type Frame = { kind: 'note'; value: unknown } | { kind: 'data'; bytes: Buffer };

const noteByte = 0x4e;
const dataByte = 0x44;
const headBytes = 5;
/** Bounds the memory of a restore. */
const maxBytes = 1024 * 1024;

/** A file that is truncated, changed or no backup. The message completes a sentence about the file. */
export class DamagedBackup extends Error {}

export function noteFrame(value: unknown): Buffer {
  return frame(noteByte, Buffer.from(JSON.stringify(value)));
}

/** Large rows take several frames. */
export function* dataFrames(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += maxBytes)
    yield frame(dataByte, bytes.subarray(at, at + maxBytes));
}

function frame(kind: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** @throws DamagedBackup when the source ends within a frame, or holds something else. */
export async function* readFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let length = lengthOf(rest); length <= rest.length; length = lengthOf(rest)) {
      yield toFrame(rest[0], rest.subarray(headBytes, length));
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new DamagedBackup('ends within a part');
}

/** The length of the first frame; more than there is when its head is incomplete. */
function lengthOf(bytes: Buffer): number {
  if (bytes.length < headBytes) return headBytes;
  const length = bytes.readUInt32BE(1);
  if (length > maxBytes) throw new DamagedBackup('holds a part that is too long');
  return headBytes + length;
}

function toFrame(kind: number | undefined, payload: Buffer): Frame {
  if (kind === dataByte) return { kind: 'data', bytes: payload };
  if (kind !== noteByte) throw new DamagedBackup('holds a part of an unknown kind');
  return { kind: 'note', value: JSON.parse(payload.toString()) };
}
