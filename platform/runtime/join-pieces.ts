import { setImmediate as nextTurn } from 'node:timers/promises';

const bytesPerTurn = 1024 * 1024;

/** As `Buffer.concat` does, for tens of MiB, in several turns of the event loop: fresh memory costs more than the copy. */
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
