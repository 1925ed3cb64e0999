import { setImmediate as nextTurn } from 'node:timers/promises';

const bytesPerTurn = 1024 * 1024;

/** Like `Buffer.concat` for tens of MiB: yields to the event loop, because allocating fresh memory is slow. */
export async function joinPieces(pieces: readonly Uint8Array[], bytes: number): Promise<Buffer> {
  const joined = Buffer.allocUnsafe(bytes);
  let copied = 0;
  let ofTurn = 0;
  for (const piece of pieces) {
    joined.set(piece, copied);
    copied += piece.length;
    ofTurn += piece.length;
    if (ofTurn < bytesPerTurn) continue;
    ofTurn = 0;
    await nextTurn();
  }
  return joined;
}
