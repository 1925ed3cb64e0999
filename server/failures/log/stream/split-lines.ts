const newline = 10;
const carriageReturn = 13;

/** Longer lines are cut. The rest of such a line is skipped. */
const maxLineBytes = 16 * 1024;

/** Splits blocks of bytes into lines. */
export class LineSplitter {
  /** The start of a line that continues in the next block. */
  readonly #start = Buffer.alloc(maxLineBytes);
  #used = 0;
  #isOpen = false;

  *add(bytes: Buffer): Generator<string> {
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(newline, from);
      if (end < 0) break;
      if (this.#isOpen) yield this.#close(bytes.subarray(from, end));
      else yield end === from ? '' : textOf(bytes.subarray(from, end));
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
    const text = textOf(this.#start.subarray(0, this.#used));
    this.#used = 0;
    this.#isOpen = false;
    return text;
  }
}

function textOf(line: Buffer): string {
  const end = line.length > 0 && line[line.length - 1] === carriageReturn ? line.length - 1 : line.length;
  return line.toString('utf8', 0, Math.min(end, maxLineBytes));
}
