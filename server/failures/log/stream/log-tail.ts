/** Larger logs are read from their end. */
const maxLogBytes = 20 * 1024 * 1024;

const blockBytes = 64 * 1024;
const maxBlocks = maxLogBytes / blockBytes;
const newline = 10;

/** Keeps the last 20 MiB of a log. Chunks are copied into blocks, because a chunk of one byte can keep a large buffer in memory. */
export class LogTail {
  /** Lines that ended before the kept bytes. */
  droppedLines = 0;
  readonly #blocks: Buffer<ArrayBuffer>[] = [];
  /** The block that is being filled, and its used bytes. */
  #block = Buffer.alloc(blockBytes);
  #used = 0;
  #hasDropped = false;

  /** The start of the log was dropped. The kept bytes can then begin inside a line. */
  get isCut(): boolean {
    return this.#hasDropped;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.#used === 0;
  }

  /** Copies at most 64 KiB and returns how many bytes of the chunk it took. */
  add(chunk: Uint8Array, from: number): number {
    if (this.#used === blockBytes) this.#startBlock();
    const part = chunk.subarray(from, from + blockBytes - this.#used);
    this.#block.set(part, this.#used);
    this.#used += part.length;
    return part.length;
  }

  *blocks(): Generator<Buffer> {
    yield* this.#blocks;
    if (this.#used > 0) yield this.#block.subarray(0, this.#used);
  }

  #startBlock(): void {
    this.#blocks.push(this.#block);
    this.#used = 0;
    if (this.#blocks.length < maxBlocks) {
      this.#block = Buffer.alloc(blockBytes);
      return;
    }
    this.#block = this.#blocks.shift() ?? Buffer.alloc(blockBytes);
    this.#hasDropped = true;
    for (const byte of this.#block) if (byte === newline) this.droppedLines++;
  }
}
