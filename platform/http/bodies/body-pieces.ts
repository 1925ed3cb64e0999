import { setImmediate as nextTurn } from 'node:timers/promises';

/** Smaller chunks are copied into blocks. */
const smallBytes = 1024;
const blockBytes = 4 * 1024;

/** Memory of a block or chunk besides its bytes. */
const overheadBytes = 200;

/** Bodies up to this size are joined synchronously. */
const joinedAtOnce = 256 * 1024;

const joinedPerTurn = 1024 * 1024;

/** Collects the chunks of a body. Each chunk is memory of its own, so small ones are copied together. */
export class BodyPieces {
  bytes = 0;
  /** Memory in use. */
  heldBytes = 0;
  readonly #pieces: Buffer[] = [];
  /** The block that is being filled, and its used bytes. */
  #block: Buffer | undefined;
  #used = 0;

  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (piece.length >= smallBytes) {
      this.#endBlock();
      this.#pieces.push(piece);
      this.heldBytes += piece.length + overheadBytes;
      return;
    }
    if (this.#block === undefined || this.#used + piece.length > blockBytes) {
      this.#endBlock();
      // Not from Node's pool: a block would keep 64 KiB of other bodies in memory.
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
      this.#used = 0;
      this.heldBytes += blockBytes + overheadBytes;
    }
    this.#used += piece.copy(this.#block, this.#used);
  }

  /** Returns the body. A promise only for large bodies of several chunks. */
  join(): Buffer | Promise<Buffer> {
    this.#endBlock();
    const [only] = this.#pieces;
    if (only?.length === this.bytes) return only;
    return this.bytes <= joinedAtOnce
      ? Buffer.concat(this.#pieces, this.bytes)
      : joinInTurn(this.#pieces, this.bytes);
  }

  #endBlock(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
  }
}

let joining: Promise<unknown> = Promise.resolve();

/** One large body after the other, because each takes as much memory again. */
function joinInTurn(pieces: readonly Uint8Array[], bytes: number): Promise<Buffer> {
  const joined = joining.then(() => joinPieces(pieces, bytes));
  joining = joined.catch(() => {});
  return joined;
}

/** Like `Buffer.concat` for tens of MiB: yields to the event loop, because allocating fresh memory is slow. */
async function joinPieces(pieces: readonly Uint8Array[], bytes: number): Promise<Buffer> {
  const joined = Buffer.allocUnsafe(bytes);
  let copied = 0;
  let ofTurn = 0;
  for (const piece of pieces) {
    joined.set(piece, copied);
    copied += piece.length;
    ofTurn += piece.length;
    if (ofTurn < joinedPerTurn) continue;
    ofTurn = 0;
    await nextTurn();
  }
  return joined;
}
