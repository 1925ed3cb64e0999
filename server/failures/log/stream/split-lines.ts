const newline = 10;
const carriageReturn = 13;

/** Longer lines are cut. The rest of such a line is skipped. */
const maxLineBytes = 16 * 1024;

/** Splits blocks of bytes between lines. Most texts have many lines, because a text costs more than a line of it. */
export class LineSplitter {
  /** The start of a line that continues in the next block. */
  readonly #start = Buffer.alloc(maxLineBytes);
  #used = 0;
  #isOpen = false;

  /** Texts of at most 16 KiB, without their last line feed. */
  *add(bytes: Buffer): Generator<string> {
    let from = 0;
    while (from < bytes.length) {
      const last = this.#isOpen ? -1 : bytes.lastIndexOf(newline, from + maxLineBytes);
      const end = last < from ? bytes.indexOf(newline, from) : last;
      if (end < 0) break;
      yield this.#isOpen ? this.#close(bytes.subarray(from, end)) : textOf(bytes, from, end);
      from = end + 1;
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
  }

  *end(): Generator<string> {
    if (this.#isOpen) yield this.#close(Buffer.alloc(0));
  }

  #keep(part: Buffer): void {
    this.#isOpen = true;
    this.#used += part.copy(this.#start, this.#used, 0, maxLineBytes - this.#used);
  }

  #close(part: Buffer): string {
    this.#keep(part);
    const text = textOf(this.#start, 0, this.#used);
    this.#used = 0;
    this.#isOpen = false;
    return text;
  }
}

function textOf(bytes: Buffer, start: number, end: number): string {
  const last = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
  return bytes.toString('utf8', start, Math.min(last, start + maxLineBytes));
}
