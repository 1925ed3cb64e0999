import { joinPieces } from '../../runtime/join-pieces.ts';

/** Smaller pieces are copied together into blocks of this size. */
const blockBytes = 16 * 1024;

/** What a block or a large piece takes besides its bytes. */
const overheadBytes = 200;

/** Bodies up to this size are joined at once. */
const joinedAtOnce = 256 * 1024;

/**
 * The pieces of a body as they come. A piece of one byte is a view of some 64 KiB that the socket read: kept as it is, it
 * holds all of them.
 */
export class BodyPieces {
  bytes = 0;
  /** Memory taken. */
  heldBytes = 0;
  readonly #pieces: Buffer[] = [];
  /** The last of the pieces while it has room, and how much of it is used. */
  #block: Buffer | undefined;
  #used = 0;

  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (piece.length >= blockBytes) {
      this.#endBlock();
      this.#pieces.push(piece);
      this.heldBytes += piece.length + overheadBytes;
      return;
    }
    if (this.#block === undefined || this.#used + piece.length > blockBytes) {
      this.#endBlock();
      this.#block = Buffer.allocUnsafe(blockBytes);
      this.#used = 0;
      this.heldBytes += blockBytes + overheadBytes;
    }
    this.#used += piece.copy(this.#block, this.#used);
  }

  /** All of them, in memory of their own. A promise for large bodies alone. */
  join(): Buffer | Promise<Buffer> {
    this.#endBlock();
    return this.bytes <= joinedAtOnce
      ? Buffer.concat(this.#pieces, this.bytes)
      : joinPieces(this.#pieces, this.bytes);
  }

  #endBlock(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
  }
}
