import { maxLogBytes, mostLogLines } from '#contract/failures/job-log.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { linesOf, type LogLine } from '#server/failures/log/stream/log-line.ts';
import { spansOf } from '#server/failures/log/stream/spans.ts';
import { LineSplitter } from '#server/failures/log/stream/split-lines.ts';
import { allSecrets } from '#server/masking/find-secrets.ts';
import { masked } from '#server/masking/mask.ts';
import { SecretLines } from '#server/masking/secret-lines.ts';
import type { LogKey, StoredPart } from './job-log-store.ts';
import { inColour, sealPart, type LogPart } from './log-parts.ts';
import type { Outline } from './outline.ts';

/** Reading any line opens one part, and a page of lines seldom more than two. */
const partCharacters = 256 * 1024;
const partLines = 4_096;
/** Of one line. The splitter cuts longer ones. */
const lineCharacters = 16 * 1024;
const storeEveryMs = 500;
/** Parts in memory. */
const mostPending = 4;

interface WriterDeps {
  sealer: Sealer;
  key: LogKey;
  outline: Outline;
  /** Lines that are stored from an earlier reading. They are the same, so they are not stored again. */
  knownLines: number;
  /** Stores parts and the number of lines and bytes so far. */
  store(parts: StoredPart[], read: { lines: number; bytes: number }): Promise<void>;
}

/** What was read of a log. */
export interface WrittenLog {
  parts: number;
  lines: number;
  bytes: number;
  isCut: boolean;
}

/**
 * Masks a log line by line as it arrives and stores it in parts, the first lines at once. At most some parts are in memory. What arrived
 * before the stream failed is stored.
 */
export async function writeLog(
  deps: WriterDeps,
  stream: AsyncIterable<Uint8Array>,
): Promise<WrittenLog & { error?: unknown }> {
  const writer = new LogWriter(deps);
  let error: unknown;
  try {
    for await (const chunk of stream) {
      await writer.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (writer.written.isCut) break;
    }
  } catch (thrown) {
    error = thrown;
  }
  await writer.end();
  return { ...writer.written, ...(error === undefined ? {} : { error }) };
}

class LogWriter {
  readonly written: WrittenLog = { parts: 0, lines: 0, bytes: 0, isCut: false };
  readonly #deps: WriterDeps;
  readonly #splitter = new LineSplitter();
  readonly #secrets = new SecretLines();
  readonly #breaks = makeBreaks();
  /** A token can continue on the next line, so a line waits for it. */
  #before: LogLine | undefined;
  #part: LogPart = { firstLine: 1, texts: [], times: [] };
  #characters = 0;
  #pending: StoredPart[] = [];
  #storedAt = -Infinity;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  async add(chunk: Buffer): Promise<void> {
    const { written } = this;
    const taken = chunk.subarray(0, maxLogBytes - written.bytes);
    written.bytes += taken.length;
    if (taken.length < chunk.length) written.isCut = true;
    for (const text of this.#splitter.add(taken)) await this.#addText(text);
    if (performance.now() - this.#storedAt > storeEveryMs) await this.#store();
  }

  async end(): Promise<void> {
    for (const text of this.#splitter.end()) await this.#addText(text);
    this.#take(undefined);
    await this.#store(true);
    if (this.#part.texts.length > 0) this.written.parts += 1;
  }

  async #addText(text: string): Promise<void> {
    await this.#breaks();
    for (const line of linesOf(text)) {
      if (this.written.lines >= mostLogLines) {
        this.written.isCut = true;
        return;
      }
      this.#take(line);
      if (this.written.lines % 16 === 0) await this.#breaks();
      if (this.#characters >= partCharacters || this.#part.texts.length >= partLines) await this.#endPart();
    }
  }

  #take(next: LogLine | undefined): void {
    const line = this.#before;
    this.#before = next;
    if (line === undefined) return;
    const { text, raw, time } = line;
    const secrets = allSecrets(text, this.#secrets.find(text, next?.text ?? ''));
    const plain = masked(text, secrets);
    this.written.lines += 1;
    this.#deps.outline.add(plain, time);
    const shown =
      raw.includes('\u001b') || raw.includes('\u009b')
        ? inColour(spansOf(raw, secrets, lineCharacters))
        : plain;
    this.#part.texts.push(shown);
    this.#part.times.push(time ?? '');
    this.#characters += shown.length + 1;
  }

  async #endPart(): Promise<void> {
    const { sealer, key, knownLines } = this.#deps;
    // Only the last part of an earlier reading can have grown.
    if (this.written.lines > knownLines - partLines)
      this.#pending.push(await sealPart(sealer, key, this.written.parts, this.#part));
    this.written.parts += 1;
    this.#part = { firstLine: this.written.lines + 1, texts: [], times: [] };
    this.#characters = 0;
    if (this.#pending.length >= mostPending) await this.#store();
  }

  /** Also the part that still grows. */
  async #store(isEnd = false): Promise<void> {
    const { sealer, key, store, knownLines } = this.#deps;
    const parts = this.#pending;
    const isNew = isEnd || this.written.lines > knownLines;
    if (isNew && this.#part.texts.length > 0)
      parts.push(await sealPart(sealer, key, this.written.parts, this.#part));
    this.#pending = [];
    await store(parts, this.written);
    this.#storedAt = performance.now();
  }
}
